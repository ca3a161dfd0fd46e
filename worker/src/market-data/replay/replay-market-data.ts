import { readdirSync, readFileSync } from "node:fs";
import { SECOND_MS, TIMEFRAMES } from "@shared/contract/constants.ts";
import { findInstrument } from "@shared/contract/instruments.ts";
import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { isOpen } from "@shared/domain/trading-hours.ts";
import { parseCandleCsv, parseCandleFileName } from "@shared/outcomes/resolve-again.ts";
import {
  firstOpeningTime,
  mergeParts,
  openingTime,
  resample,
  sourceTimeframe,
} from "../candles.ts";
import { type MarketData, ProviderError } from "../market-data.ts";
import {
  type CandleSource,
  DEMO_INSTRUMENTS,
  secondsOf,
  simulatedDays,
  subdividedSource,
} from "./simulation.ts";

export const REPLAY_SYMBOLS: readonly string[] = [...DEMO_INSTRUMENTS.keys()];

const NOTES = {
  recorded: "Demo data: recorded candles shifted to the present, not live prices.",
  simulated: "Demo data: simulated candles, not market prices.",
} as const;

const REAL_MARKET_CLOSED = "The real market is closed now; the demo goes on.";

/** Recordings shifted to now, or simulated candles. They are the same in all processes, and never close. */
export function createReplayMarketData(options: { now: () => number }): MarketData {
  const recordings = new Recordings();
  return {
    async candles({ symbol, timeframe, limit, withOpen, ...times }) {
      const { until = Number.POSITIVE_INFINITY, through = 0 } = times;
      const source = replaySource(recordings, { symbol, timeframe });
      if (!source) {
        const message = `there is no demo data for ${symbol}`;
        throw new ProviderError({ provider: "replay", failure: "unknown-symbol", message });
      }
      const now = Math.min(Math.max(options.now(), through), until);
      const from = firstOpeningTime(timeframe, { count: limit, now });
      const note = NOTES[source.origin];
      const isTraded = isOpen(findInstrument(symbol)?.hours ?? "always", now);
      return {
        candles: source.range(from, limit),
        ...(withOpen && { open: openCandle(recordings, { symbol, timeframe }, now) }),
        provider: "replay",
        data: "replay",
        notes: [isTraded ? note : `${note} ${REAL_MARKET_CLOSED}`],
      };
    },
  };
}

interface ReplayedMarket {
  symbol: string;
  timeframe: Timeframe;
}

/** The open candle of a replayed market: the part of it until `now`, to the second. */
function openCandle(
  recordings: Recordings,
  { symbol, timeframe }: ReplayedMarket,
  now: number,
): Candle | undefined {
  const time = openingTime(now, timeframe);
  const count = Math.floor((now - time) / TIMEFRAME_MS[SHORTEST]) + 1;
  const minutes = replaySource(recordings, { symbol, timeframe: SHORTEST })?.range(time, count);
  const current = minutes?.pop();
  if (!minutes || !current) return undefined;
  const seconds = secondsOf(symbol, current).filter((second) => second.time + SECOND_MS <= now);
  const { open } = current;
  const first = { time, open, high: open, low: open, close: open, volume: 0 };
  return mergeParts([time, [...minutes, ...(seconds.length > 0 ? seconds : [first])]]);
}

/** A symbol has one price path: what is recorded of it in the first of these timeframes, else simulated days. */
const PATHS = ["1h", "1d"] as const;

/** Timeframes shorter than the path that divide the next longer one; others are built from the longest shorter one. */
const DIVIDED: readonly Timeframe[] = ["1m", "5m", "1h", "1d"];

/** All timeframes are whole numbers of it. */
const [SHORTEST] = TIMEFRAMES;

/** Candles of all timeframes are of the symbol's one price path, so that they agree. */
function replaySource(
  recordings: Recordings,
  { symbol, timeframe }: ReplayedMarket,
): CandleSource | undefined {
  const instrument = DEMO_INSTRUMENTS.get(symbol);
  if (!instrument) return undefined;
  const path = PATHS.find((each) => recordings.find(symbol, each)) ?? "1d";
  if (timeframe === path) {
    const recording = recordings.find(symbol, path);
    return recording ? recordedSource(recording, path) : simulatedDays(symbol, instrument);
  }
  const from = TIMEFRAME_MS[path] < TIMEFRAME_MS[timeframe] ? path : madeFrom(timeframe);
  const source = replaySource(recordings, { symbol, timeframe: from });
  if (!source) return undefined;
  const timeframes = { from, to: timeframe };
  return TIMEFRAME_MS[from] < TIMEFRAME_MS[timeframe]
    ? resampledSource(source, timeframes)
    : subdividedSource(source, { ...timeframes, symbol });
}

/** What a timeframe shorter than the path is made from. */
function madeFrom(timeframe: Timeframe): Timeframe {
  const longer = DIVIDED[DIVIDED.indexOf(timeframe) + 1];
  if (DIVIDED.includes(timeframe) && longer) return longer;
  return DIVIDED.findLast((each) => TIMEFRAME_MS[each] < TIMEFRAME_MS[timeframe]) ?? SHORTEST;
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
function recordedSource(recording: readonly Candle[], timeframe: Timeframe): CandleSource {
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

function resampledSource(
  source: CandleSource,
  timeframes: { from: Timeframe; to: Timeframe },
): CandleSource {
  const partsPerCandle = TIMEFRAME_MS[timeframes.to] / TIMEFRAME_MS[timeframes.from];
  return {
    origin: source.origin,
    range: (from, count) => resample(source.range(from, count * partsPerCandle), timeframes),
  };
}
