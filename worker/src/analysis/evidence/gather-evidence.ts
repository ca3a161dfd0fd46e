import type { EvidenceItem } from "@shared/contract/evidence.ts";
import { LRUCache } from "lru-cache";
import { raceAbort, withDeadline } from "../../deadline.ts";
import { fundingRate, openInterest } from "./derivatives.ts";
import type { EvidenceDeps, EvidenceMarket, EvidenceSource } from "./evidence-source.ts";
import { isoTime } from "./evidence-source.ts";
import { higherTimeframes } from "./higher-timeframes.ts";
import { marketClose } from "./market-close.ts";
import { previousPeriods } from "./previous-periods.ts";
import { scheduledEvents } from "./scheduled-events.ts";

/** In the order in which the analyst is given them. Add a new source here. */
const SOURCES: readonly EvidenceSource[] = [
  ...higherTimeframes,
  ...previousPeriods,
  marketClose,
  fundingRate,
  openInterest,
  scheduledEvents,
];

/** What does not answer within this time is not available to the analysis. */
export const EVIDENCE_TIMEOUT_MS = 3_000;

const MAX_KEPT = 2_000;

/** Asks the sources of evidence, once for each candle. */
export class EvidenceGatherer {
  readonly #kept = new LRUCache<string, Promise<EvidenceItem[]>>({ max: MAX_KEPT });

  /** Never rejects, except with the reason of `deps.abort`. */
  async gather(market: EvidenceMarket, deps: EvidenceDeps): Promise<EvidenceItem[]> {
    const sources = SOURCES.filter((source) => source.covers(market));
    const found = sources.map((source) => this.#once(source, market, deps));
    return (await raceAbort(Promise.all(found), deps.abort)).flat();
  }

  /** Other analyses of the candle wait for the same answer, so no single caller can abort it. */
  #once(
    source: EvidenceSource,
    market: EvidenceMarket,
    deps: EvidenceDeps,
  ): Promise<EvidenceItem[]> {
    const { brief, series } = market;
    const { symbol, timeframe, lastCandleAt } = brief;
    const key = [source.key, series.provider, symbol, timeframe, lastCandleAt].join(" ");
    const kept = this.#kept.get(key) ?? ask(source, market, deps);
    this.#kept.set(key, kept);
    return kept;
  }
}

async function ask(
  source: EvidenceSource,
  market: EvidenceMarket,
  deps: EvidenceDeps,
): Promise<EvidenceItem[]> {
  const abort = new AbortController().signal;
  const items = await withDeadline({ abort, timeoutMs: EVIDENCE_TIMEOUT_MS }, (inTime) =>
    raceAbort(source.gather(market, { ...deps, abort: inTime }), inTime),
  ).catch((): EvidenceItem[] => []);
  const { lastCandleAt } = market.brief;
  const known = items.filter(({ known_at }) => Date.parse(known_at) <= lastCandleAt);
  if (known.length > 0) return known;
  const text = `${source.title}: not available`;
  return [{ key: source.key, text, known_at: isoTime(lastCandleAt), source: "none" }];
}
