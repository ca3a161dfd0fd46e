import type { EvidenceItem } from "@shared/contract/evidence.ts";
import { raceAbort } from "../../deadline.ts";
import { fundingRate, openInterest } from "./derivatives.ts";
import type { EvidenceDeps, EvidenceMarket, EvidenceSource } from "./evidence-source.ts";
import { isoTime } from "./evidence-source.ts";
import { higherTimeframes } from "./higher-timeframes.ts";
import { marketClose } from "./market-close.ts";
import { OncePerCandle } from "./once-per-candle.ts";
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

/** The key of each source: an analysis may be given some of them only. */
export const EVIDENCE_BLOCKS: readonly string[] = SOURCES.map(({ key }) => key);

/** Asks the sources of evidence, each once for a candle. */
export class EvidenceGatherer {
  readonly #answers = new OncePerCandle<EvidenceItem[]>();

  /**
   * Never rejects, except with the reason of `deps.abort`.
   * @param blocks keys of the sources or of their items; all of them by default
   */
  async gather(
    market: EvidenceMarket,
    deps: EvidenceDeps,
    blocks?: readonly string[],
  ): Promise<EvidenceItem[]> {
    const sources = SOURCES.filter((source) => source.covers(market));
    const isWanted = (key: string) => blocks === undefined || blocks.includes(key);
    const found = sources.map(async (source) => {
      const items = await this.#itemsOf(source, market, deps);
      return items.filter(({ key }) => isWanted(source.key) || isWanted(key));
    });
    return (await raceAbort(Promise.all(found), deps.abort)).flat();
  }

  async #itemsOf(
    source: EvidenceSource,
    market: EvidenceMarket,
    deps: EvidenceDeps,
  ): Promise<EvidenceItem[]> {
    const { brief, series } = market;
    const { symbol, timeframe, lastCandleAt } = brief;
    const candle = [source.key, series.provider, symbol, timeframe, lastCandleAt].join(" ");
    const items = await this.#answers.get(candle, (abort) =>
      source.gather(market, { ...deps, abort }),
    );
    const known = items?.filter(({ known_at }) => Date.parse(known_at) <= lastCandleAt) ?? [];
    if (known.length > 0) return known;
    const text = `${source.title}: not available`;
    return [{ key: source.key, text, known_at: isoTime(lastCandleAt), source: "none" }];
  }
}
