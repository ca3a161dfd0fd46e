import { readdirSync, readFileSync } from "node:fs";
import type { Candle, Timeframe } from "@shared/contract/candle.ts";
import { parseCandleCsv, parseCandleFileName } from "@shared/outcomes/candle-files.ts";

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
      const market = parseCandleFileName(file);
      if (market) this.files.set(keyOf(market.symbol, market.timeframe), file);
    }
  }

  /** The recording, oldest candle first, or undefined where there is none. */
  find(symbol: string, timeframe: Timeframe): Candle[] | undefined {
    const key = keyOf(symbol, timeframe);
    const file = this.files.get(key);
    if (!file) return undefined;
    const candles =
      this.read.get(key) ?? parseCandleCsv(readFileSync(new URL(file, this.directory), "utf8"));
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
