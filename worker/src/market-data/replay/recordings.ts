import { readdirSync, readFileSync } from "node:fs";
import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import { parseCandleCsv, parseCandleFileName } from "@shared/outcomes/candle-files.ts";
import { resample } from "../candles.ts";

/** A market without beginning or end: the candle at a given time is always the same. */
export interface CandleSource {
  /** Whether what it gives was recorded in a real market, or made up. */
  origin: "recorded" | "simulated";
  /**
   * `count` candles from the opening time `from` on, which lies on the grid of the source's
   * timeframe.
   */
  range(from: number, count: number): Candle[];
}

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

/**
 * The moment at which every replay shows the last candle of its recording. It lies ahead, so that
 * daily candles, of which a recording covers years, stay near the level of the hourly ones, of
 * which it covers weeks, for a long time.
 */
export const REPLAY_TURNS_AT = Date.UTC(2027, 0, 1);

/**
 * An endless market from a recording: shifted by whole candles, played forward and then backward
 * and so on, so that the price never jumps where the recording ends. Hours that a market was closed
 * for are left out, as in the recording.
 */
export function recordedSource(recording: readonly Candle[], timeframe: Timeframe): CandleSource {
  const lengthMs = TIMEFRAME_MS[timeframe];
  const lastStep = Math.floor(REPLAY_TURNS_AT / lengthMs) - 1;
  return {
    origin: "recorded",
    range: (from, count) =>
      Array.from({ length: count }, (_, index) => {
        const time = from + index * lengthMs;
        return replayedCandle(recording, { stepsFromEnd: lastStep - time / lengthMs, time });
      }),
  };
}

function replayedCandle(
  recording: readonly Candle[],
  { stepsFromEnd, time }: { stepsFromEnd: number; time: number },
): Candle {
  const period = 2 * recording.length;
  const phase = ((stepsFromEnd % period) + period) % period;
  const backward = phase >= recording.length;
  const candle = recording[backward ? phase - recording.length : recording.length - 1 - phase];
  if (!candle) throw new RangeError("a recording without candles cannot be replayed");
  if (!backward) return { ...candle, time };
  return { ...candle, time, open: candle.close, close: candle.open };
}

/** A longer timeframe of the same market, built from a shorter one. */
export function resampledSource(
  source: CandleSource,
  timeframes: { from: Timeframe; to: Timeframe },
): CandleSource {
  const partsPerCandle = TIMEFRAME_MS[timeframes.to] / TIMEFRAME_MS[timeframes.from];
  return {
    origin: source.origin,
    range: (from, count) => resample(source.range(from, count * partsPerCandle), timeframes),
  };
}
