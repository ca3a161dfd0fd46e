import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import { TIMEFRAMES } from "@shared/contract/constants.ts";
import type { LedgerFigures } from "@shared/contract/ledger.ts";
import { type Resolution, resolutionSchema } from "@shared/contract/resolution.ts";
import { resolveTrade } from "./resolve-trade.ts";
import { type CandleParts, tradeOfFigures } from "./simulate-trade.ts";

/** A recorded outcome and the figures of its analysis. */
export interface RecordedOutcome {
  seq: number;
  figures: LedgerFigures;
  resolution: Resolution;
}

/** Source of the candles to resolve outcomes again. */
export interface CandleSource {
  /** Closed candles that cover the time from `from` to `until`, Unix ms, oldest first; null if there are none. */
  candles(
    figures: LedgerFigures,
    span: { from: number; until: number },
  ): Promise<readonly Candle[] | null>;
  /** The finest candles that make up `candle`; null if there are none. */
  parts(figures: LedgerFigures, candle: Candle, timeframe: Timeframe): Promise<CandleParts | null>;
}

export type Recheck =
  | { result: "agrees" | "no-candles" | "needs-finer-candles" }
  | { result: "differs"; fields: FieldDifference[] };

interface FieldDifference {
  name: string;
  recorded: string;
  resolved: string;
}

/**
 * Resolves a recorded trade again, by its own levels, rules and costs, and compares the result with the record. A
 * difference does not count if it may come from missing candles.
 */
export async function resolveAgain(
  { figures, resolution }: RecordedOutcome,
  source: CandleSource,
): Promise<Recheck> {
  const trade = tradeOfFigures(figures);
  if (!trade)
    return { result: "differs", fields: [difference("outcome", resolution.outcome, null)] };
  const until = Date.parse(resolution.resolved_at);
  const candles = await source.candles(figures, { from: trade.createdAt, until });
  if (!candles) return { result: "no-candles" };
  const lengthMs = TIMEFRAME_MS[trade.timeframe];
  let lacksParts = false;
  const resolved = await resolveTrade({
    trade,
    candles: candles.filter(({ time }) => time + lengthMs > trade.createdAt),
    async finer(candle, timeframe) {
      const parts = await source.parts(figures, candle, timeframe);
      lacksParts ||= parts === null && timeframe !== FINEST;
      return parts;
    },
    now: until,
    costs: resolution.costs,
  });
  const fields = differences(resolution, resolved);
  if (fields.length === 0) return { result: "agrees" };
  return lacksParts ? { result: "needs-finer-candles" } : { result: "differs", fields };
}

const FINEST = TIMEFRAMES[0];

/** Compared fields. The costs are those of the record. */
const COMPARED = resolutionSchema.omit({ costs: true }).keyof().options;

/** @param resolved null if the trade is still open at that time */
function differences(recorded: Resolution, resolved: Resolution | null): FieldDifference[] {
  if (!resolved) return [difference("outcome", recorded.outcome, null)];
  return COMPARED.filter((name) => recorded[name] !== resolved[name]).map((name) =>
    difference(name, recorded[name], resolved[name]),
  );
}

const difference = (name: string, recorded: unknown, resolved: unknown): FieldDifference => ({
  name,
  recorded: String(recorded ?? "none"),
  resolved: String(resolved ?? "none"),
});
