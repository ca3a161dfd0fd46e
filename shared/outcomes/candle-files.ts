import {
  type Candle,
  candleSchema,
  TIMEFRAME_MS,
  type Timeframe,
  timeframeSchema,
} from "@shared/contract/candle.ts";
import { TIMEFRAMES } from "@shared/contract/constants.ts";
import { z } from "zod";
import type { CandleSource } from "./resolve-again.ts";
import { coversCandle } from "./resolve-trade.ts";

const FILE_NAME = /([A-Z0-9]+)-([A-Z0-9]+)\.(\w+)\.csv$/i;
const COLUMNS = ["time", "open", "high", "low", "close", "volume"] as const;

/** Market and timeframe of a file such as `BTC-USDT.1h.csv`; null for other names. */
export function parseCandleFileName(name: string): { symbol: string; timeframe: Timeframe } | null {
  const [, base, quote, length] = FILE_NAME.exec(name) ?? [];
  const timeframe = timeframeSchema.safeParse(length).data;
  return base && quote && timeframe
    ? { symbol: `${base}/${quote}`.toUpperCase(), timeframe }
    : null;
}

/**
 * Reads a CSV with the columns `time,open,high,low,close,volume` in Unix ms, oldest first.
 * @throws ZodError
 */
export function parseCandleCsv(text: string): Candle[] {
  const lines = text.trim().split("\n").slice(1);
  const rows = lines.map((line) => {
    const cells = line.split(",").map(Number);
    return Object.fromEntries(COLUMNS.map((column, index) => [column, cells[index]]));
  });
  return z.array(candleSchema).min(1).parse(rows);
}

/** Candles of one market and timeframe, oldest first. */
export interface CandleFile {
  symbol: string;
  timeframe: Timeframe;
  candles: readonly Candle[];
}

export function candleFilesSource(files: readonly CandleFile[]): CandleSource {
  const find = (symbol: string, timeframe: Timeframe) =>
    files.find((file) => file.symbol === symbol && file.timeframe === timeframe)?.candles;
  return {
    candles({ symbol, timeframe }, { from, until }) {
      const candles = find(symbol, timeframe);
      const lengthMs = TIMEFRAME_MS[timeframe];
      const [first] = candles ?? [];
      const last = candles?.at(-1);
      const covers = first && last && first.time <= from && last.time + lengthMs >= until;
      return Promise.resolve(covers && candles ? candles : null);
    },
    parts({ symbol }, candle, timeframe) {
      const until = candle.time + TIMEFRAME_MS[timeframe];
      for (const finer of TIMEFRAMES) {
        if (TIMEFRAME_MS[finer] >= TIMEFRAME_MS[timeframe]) break;
        const all = find(symbol, finer) ?? [];
        const candles = all.filter(({ time }) => time >= candle.time && time < until);
        if (coversCandle(candles, { candle, symbol })) {
          return Promise.resolve({ timeframe: finer, candles });
        }
      }
      return Promise.resolve(null);
    },
  };
}
