import { TIMEFRAMES } from "@shared/contract/constants.ts";
import { findInstrument } from "@shared/contract/instruments.ts";
import type { LedgerFigures } from "@shared/contract/ledger.ts";
import {
  type Candle,
  candleSchema,
  TIMEFRAME_MS,
  type Timeframe,
  timeframeSchema,
} from "@shared/contract/market-data.ts";
import {
  type Resolution,
  resolutionSchema,
  type TradingCosts,
} from "@shared/contract/resolution.ts";
import { z } from "zod";
import { isTraded, withFlatCandles } from "./flat-candles.ts";
import {
  coversCandle,
  expireWithoutData,
  type Fill,
  followTrade,
  type TradeCourse,
} from "./resolve-trade.ts";
import { type CandleParts, type Trade, tradeOfFigures } from "./simulate-trade.ts";

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
  const candles = await candlesOf({ figures, resolution }, source, trade.createdAt);
  if (!candles) return { result: "no-candles" };
  let lacksParts = false;
  const lengthMs = TIMEFRAME_MS[trade.timeframe];
  const { costs, known_until, resolved_at } = resolution;
  const { resolution: resolved, course } = await followTrade({
    trade,
    candles: candles.filter(({ time }) => time + lengthMs > trade.createdAt),
    async finer(candle, timeframe) {
      const by = decidingFigures({ figures, resolution }, candle.time);
      const parts = await source.parts(by, candle, timeframe);
      lacksParts ||= parts === null && timeframe !== FINEST;
      return parts;
    },
    now: Date.parse(known_until ?? resolved_at),
    costs,
  });
  let again = resolved;
  if (course !== null && resolution.reason === "no-data") {
    const minutes = await minutesOfFill({ figures, resolution }, source, course);
    const filled = minutes && (await fillIn(minutes, trade, costs));
    lacksParts ||= minutes === null;
    again = expireWithoutData({ trade, course, filled, costs });
  }
  const fields = differences(resolution, again);
  if (fields.length === 0) return { result: "agrees" };
  return lacksParts ? { result: "needs-finer-candles" } : { result: "differs", fields };
}

/**
 * The minutes until a recorded fill in a candle that never closed; undefined if there was none, null if there are no
 * candles of it.
 */
async function minutesOfFill(
  { figures, resolution }: RecordedTrade,
  source: CandleSource,
  { through }: TradeCourse,
): Promise<readonly Candle[] | null | undefined> {
  const from = Date.parse(figures.finished_at);
  const filledAt = Date.parse(resolution.filled_at ?? "");
  if (!(filledAt >= (through ?? from))) return undefined;
  const span = { from, until: filledAt + TIMEFRAME_MS[FINEST] };
  return source.candles({ ...figures, timeframe: FINEST }, span);
}

/** An entry at the market is filled by the first minute after the signal. */
async function fillIn(
  minutes: readonly Candle[],
  trade: Trade,
  costs: TradingCosts,
): Promise<Fill | null> {
  const { fill } = await followTrade({
    trade: { ...trade, timeframe: FINEST },
    candles: minutes.filter(({ time }) => time >= trade.createdAt),
    finer: async () => null,
    now: Number.POSITIVE_INFINITY,
    costs,
  });
  return fill;
}

type RecordedTrade = Omit<RecordedOutcome, "seq">;

/** The figures with the provider that decided at `time`. */
function decidingFigures({ figures, resolution }: RecordedTrade, time: number): LedgerFigures {
  const { provider, provider_changed_at: changedAt } = resolution;
  const isChanged = provider && changedAt && time >= Date.parse(changedAt);
  return isChanged ? { ...figures, provider } : figures;
}

/** The candles of the first provider, and from its last one on those of the one that decided in its place. */
async function candlesOf(
  recorded: RecordedTrade,
  source: CandleSource,
  from: number,
): Promise<readonly Candle[] | null> {
  const { figures, resolution } = recorded;
  const until = Date.parse(resolution.known_until ?? resolution.resolved_at);
  const changedAt = Date.parse(resolution.provider_changed_at ?? "");
  if (Number.isNaN(changedAt)) {
    // A market that ended before the trade has none, which is what the record says.
    return until > from ? source.candles(figures, { from, until }) : [];
  }
  const first = changedAt > from ? await source.candles(figures, { from, until: changedAt }) : [];
  const by = decidingFigures(recorded, changedAt);
  const later = until > changedAt ? await source.candles(by, { from: changedAt, until }) : [];
  if (!first || !later) return null;
  return [
    ...first.filter(({ time }) => time < changedAt),
    ...later.filter(({ time }) => time >= changedAt),
  ];
}

const FINEST = TIMEFRAMES[0];

/** Compared fields. The costs are those of the record. */
const COMPARED = resolutionSchema
  .omit({ costs: true, provider: true, provider_changed: true, provider_changed_at: true })
  .keyof().options;

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

const FILE_NAME = /(?:([a-z0-9]+)\.)?([A-Z0-9]+)-([A-Z0-9]+)\.(\w+)\.csv$/i;

/** Market and timeframe of a file such as `BTC-USDT.1h.csv` or `kraken.BTC-USDT.1h.csv`; null for other names. */
export function parseCandleFileName(name: string): Omit<CandleFile, "candles"> | null {
  const [, provider, base, quote, length] = FILE_NAME.exec(name) ?? [];
  const timeframe = timeframeSchema.safeParse(length).data;
  return base && quote && timeframe
    ? { symbol: `${base}/${quote}`.toUpperCase(), timeframe, ...(provider && { provider }) }
    : null;
}

/**
 * Reads a CSV with the columns `time,open,high,low,close,volume` in Unix ms, oldest first.
 * @throws ZodError
 */
export function parseCandleCsv(text: string): Candle[] {
  const lines = text.trim().split("\n").slice(1);
  const rows = lines.map((line) => {
    const [time, open, high, low, close, volume] = line.split(",").map(Number);
    return { time, open, high, low, close, volume };
  });
  return z.array(candleSchema).min(1).parse(rows);
}

/** Candles of one market and timeframe, oldest first. */
export interface CandleFile {
  /** Without it, the candles count for every provider that has no file of its own. */
  provider?: string;
  symbol: string;
  timeframe: Timeframe;
  candles: readonly Candle[];
}

export function candleFilesSource(files: readonly CandleFile[]): CandleSource {
  const continuous = new Map<CandleFile, readonly Candle[]>();
  const find = (symbol: string, timeframe: Timeframe, provider: string) => {
    const found = files.filter((file) => file.symbol === symbol && file.timeframe === timeframe);
    const file =
      found.find((one) => one.provider === provider) ?? found.find((one) => !one.provider);
    const isContinuous = (findInstrument(symbol)?.hours ?? "always") === "always";
    if (!file || !isContinuous) return file?.candles;
    const candles = continuous.get(file) ?? withFlatCandles(file.candles, TIMEFRAME_MS[timeframe]);
    continuous.set(file, candles);
    return candles;
  };
  return {
    candles({ symbol, timeframe, provider }, { from, until }) {
      const candles = find(symbol, timeframe, provider);
      const lengthMs = TIMEFRAME_MS[timeframe];
      const [first] = candles ?? [];
      const last = candles?.at(-1);
      const covers = first && last && first.time <= from && last.time + lengthMs >= until;
      return Promise.resolve(covers && candles ? candles : null);
    },
    parts({ symbol, provider }, candle, timeframe) {
      const until = candle.time + TIMEFRAME_MS[timeframe];
      for (const finer of TIMEFRAMES) {
        if (TIMEFRAME_MS[finer] >= TIMEFRAME_MS[timeframe]) break;
        const all = find(symbol, finer, provider) ?? [];
        const candles = all.filter(({ time }) => time >= candle.time && time < until);
        const of = { candle, symbol };
        if (coversCandle(candles, of) || coversCandle(candles.filter(isTraded), of)) {
          return Promise.resolve({ timeframe: finer, candles });
        }
      }
      return Promise.resolve(null);
    },
  };
}
