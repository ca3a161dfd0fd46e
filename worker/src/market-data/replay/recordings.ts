import { readdirSync, readFileSync } from "node:fs";
import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import { TIMEFRAMES } from "@shared/contract/constants.ts";
import { parseCandleCsv, parseCandleFileName } from "@shared/outcomes/candle-files.ts";
import { resample, sourceTimeframe } from "../candles.ts";

/** An endless market: the candle of a given time is always the same. */
export interface CandleSource {
  origin: "recorded" | "simulated";
  /** `from` is a multiple of the timeframe. */
  range(from: number, count: number): Candle[];
}

const DATA_DIRECTORY = new URL("./data/", import.meta.url);

/** Recorded candles by symbol and timeframe, read on demand from files such as `BTC-USDT.1h.csv`. */
export class Recordings {
  readonly #files = new Map<string, URL>();
  readonly #read = new Map<string, Candle[]>();

  constructor(directory = DATA_DIRECTORY) {
    for (const file of readdirSync(directory)) {
      const market = parseCandleFileName(file);
      if (market) this.#files.set(keyOf(market.symbol, market.timeframe), new URL(file, directory));
    }
  }

  /** Undefined without a recording. */
  find(symbol: string, timeframe: Timeframe): Candle[] | undefined {
    const key = keyOf(symbol, timeframe);
    const file = this.#files.get(key);
    if (!file) return undefined;
    const candles = this.#read.get(key) ?? parseCandleCsv(readFileSync(file, "utf8"));
    this.#read.set(key, candles);
    return candles;
  }

  /** The longest recorded timeframe that `timeframe` can be built from. */
  sourceOf(symbol: string, timeframe: Timeframe): Timeframe | undefined {
    const recorded = TIMEFRAMES.filter((each) => this.#files.has(keyOf(symbol, each)));
    return sourceTimeframe(timeframe, recorded);
  }
}

const keyOf = (symbol: string, timeframe: Timeframe) => `${symbol} ${timeframe}`;

/**
 * Every replay shows the end of its recording at this time. It lies in the future, so that daily candles stay near the
 * hourly ones.
 */
export const REPLAY_TURNS_AT = Date.UTC(2027, 0, 1);

/**
 * Plays a recording forward and backward, so that the price never jumps. Closed hours are left out, as in the
 * recording.
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
