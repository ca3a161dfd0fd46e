import { type EconomicEvent, nextWindowStart } from "@shared/contract/economic-events.ts";
import type { EvidenceItem } from "@shared/contract/evidence.ts";
import { eventsConcerning } from "@shared/domain/economic-events.ts";
import type { Funding } from "@shared/outcomes/funding.ts";
import type { EventSource, KnownEvents } from "../../economic-events/economic-calendar.ts";
import type { DerivativesData, FundingRate } from "../../market-data/derivatives.ts";
import type { MarketData } from "../../market-data/market-data.ts";
import { coversLiveCoins } from "./derivatives.ts";
import type { EvidenceMarket } from "./evidence-source.ts";
import { EvidenceGatherer } from "./gather-evidence.ts";
import { OncePerCandle } from "./once-per-candle.ts";

/** What an analysis does around events that move prices. */
export type EventGuard = "off" | "warn" | "wait";

/** What is known beside the candles. */
export interface EvidencePack {
  items: EvidenceItem[];
  /** Which the analysis has to respect; none if the guard is off. */
  events: EconomicEvent[];
  /** Also if it is not wanted as evidence: a trade pays it all the same. */
  funding?: Funding | undefined;
}

/** Port of the evidence beside the candles. Rejects with the reason of `abort` only. */
export interface EvidenceProvider {
  guard: EventGuard;
  /** @param blocks keys of what is wanted; all by default */
  gather(
    market: EvidenceMarket,
    abort: AbortSignal,
    blocks?: readonly string[],
  ): Promise<EvidencePack>;
}

/** Nothing beside the candles. */
export const NO_EVIDENCE: EvidenceProvider = {
  guard: "off",
  gather: () => Promise.resolve({ items: [], events: [] }),
};

interface EvidenceInputs {
  marketData: MarketData;
  derivatives?: DerivativesData | undefined;
  events: EventSource;
  guard: EventGuard;
}

export function createEvidence(inputs: EvidenceInputs): EvidenceProvider {
  const { marketData, derivatives, events, guard } = inputs;
  const gatherer = new EvidenceGatherer();
  const calendars = new OncePerCandle<KnownEvents>();
  const fundingRates = new OncePerCandle<FundingRate>();
  const fundingOf = async (market: EvidenceMarket): Promise<FundingRate | null> => {
    if (!derivatives || !coversLiveCoins(market)) return null;
    const { symbol, lastCandleAt: until } = market.brief;
    const rate = await fundingRates.get(`${symbol} ${until}`, (abort) =>
      derivatives.fundingRate({ symbol, until, abort }),
    );
    return rate && rate.knownAt <= until ? rate : null;
  };
  return {
    guard,
    async gather(market, abort, blocks) {
      const { symbol, lastCandleAt } = market.brief;
      const known = calendars.get(`${symbol} ${lastCandleAt}`, (deadline) => events.read(deadline));
      const funding = fundingOf(market);
      const deps = { marketData, derivatives, funding, events: known, abort };
      const items = await gatherer.gather(market, deps, blocks);
      const [calendar, rate] = await Promise.all([known, funding]);
      const concerning = eventsConcerning(symbol, calendar?.events ?? []);
      return {
        items,
        events: guard === "off" ? [] : concerning.filter(isHigh),
        funding: rate ? { percent: rate.value, hours: rate.hours } : undefined,
      };
    },
  };
}

const isHigh = ({ impact }: EconomicEvent) => impact === "High";

/** The end of the entry window: `until`, or the start of the next window of an event if that is earlier. */
export function endBeforeEvent(
  until: number,
  events: readonly EconomicEvent[],
  at: number,
): number {
  return Math.min(until, nextWindowStart(events, at) ?? until);
}
