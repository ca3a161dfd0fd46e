import { readdirSync, readFileSync } from "node:fs";
import {
  type Candle,
  candleSchema,
  type Timeframe,
  timeframeSchema,
} from "@shared/contract/candle.ts";
import { z } from "zod";

const FILE_NAME = /^([A-Z0-9]+)-([A-Z0-9]+)\.(\w+)\.csv$/;
const COLUMNS = ["time", "open", "high", "low", "close", "volume"] as const;

const candlesSchema = z.array(candleSchema).min(1);

/** Recorded candles by symbol and timeframe; each file is read when it is first asked for. */
export class Recordings {
  private readonly directory: URL;
  private readonly files = new Map<string, string>();
  private readonly read = new Map<string, Candle[]>();

  /**
   * @param directory holds files such as `BTC-USDT.1h.csv`, with a line of column names and times
   * in Unix ms
   */
  constructor(directory: URL) {
    this.directory = directory;
    for (const file of readdirSync(directory)) {
      const [, base, quote, timeframe] = FILE_NAME.exec(file) ?? [];
      if (timeframe)
        this.files.set(keyOf(`${base}/${quote}`, timeframeSchema.parse(timeframe)), file);
    }
  }

  /** The recording, oldest candle first, or undefined where there is none. */
  find(symbol: string, timeframe: Timeframe): Candle[] | undefined {
    const key = keyOf(symbol, timeframe);
    const file = this.files.get(key);
    if (!file) return undefined;
    const candles =
      this.read.get(key) ?? parseCsv(readFileSync(new URL(file, this.directory), "utf8"));
    this.read.set(key, candles);
    return candles;
  }

  has(symbol: string, timeframe: Timeframe): boolean {
    return this.files.has(keyOf(symbol, timeframe));
  }
}

function keyOf(symbol: string, timeframe: Timeframe): string {
  return `${symbol} ${timeframe}`;
}

/**
 * Candles of a CSV with a line of column names, oldest first.
 * @throws ZodError for anything else
 */
export function parseCsv(text: string): Candle[] {
  const lines = text.trim().split("\n").slice(1);
  const rows = lines.map((line) => {
    const cells = line.split(",").map(Number);
    return Object.fromEntries(COLUMNS.map((column, index) => [column, cells[index]]));
  });
  return candlesSchema.parse(rows);
}
