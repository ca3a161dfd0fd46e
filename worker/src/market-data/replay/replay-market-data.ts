import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import { TIMEFRAMES } from "@shared/contract/constants.ts";
import { findInstrument } from "@shared/contract/instruments.ts";
import { firstOpeningTime } from "../candles.ts";
import type { MarketData } from "../market-data.ts";
import { ProviderError } from "../provider-error.ts";
import { isOpen } from "../trading-hours.ts";
import { type CandleSource, Recordings, recordedSource, resampledSource } from "./recordings.ts";
import { DEMO_INSTRUMENTS, simulatedDays, subdividedSource } from "./simulation.ts";

export const REPLAY_SYMBOLS: readonly string[] = Object.keys(DEMO_INSTRUMENTS);

const NOTES = {
  recorded: "Demo data: recorded candles shifted to the present, not live prices.",
  simulated: "Demo data: simulated candles, not market prices.",
} as const;

const REAL_MARKET_CLOSED = "The real market is closed now; the demo goes on.";

/** Recordings shifted to now, or simulated candles. They are the same in all processes, and never close. */
export function createReplayMarketData(options: { now: () => number }): MarketData {
  const recordings = new Recordings();
  return {
    async candles({ symbol, timeframe, limit, until = Number.POSITIVE_INFINITY, within }) {
      const source = within
        ? replayPartsSource(recordings, { symbol, timeframe, within })
        : replaySource(recordings, { symbol, timeframe });
      if (!source) {
        const message = `there is no demo data for ${symbol}`;
        throw new ProviderError({ provider: "replay", failure: "unknown-symbol", message });
      }
      const now = Math.min(options.now(), until);
      const from = firstOpeningTime(timeframe, { count: limit, now });
      const note = NOTES[source.origin];
      const isTraded = isOpen(findInstrument(symbol)?.hours ?? "always", now);
      return {
        candles: source.range(from, limit),
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

/** Timeframes that are simulated by dividing the next longer one; others are built from the longest shorter one. */
const DIVIDED: readonly Timeframe[] = ["1m", "5m", "1h", "1d"];

/** All timeframes are whole numbers of it. */
const [SHORTEST] = TIMEFRAMES;

/** The timeframe that a timeframe without any recording is made from; undefined for days. */
function madeFrom(timeframe: Timeframe): Timeframe | undefined {
  const divided = DIVIDED.indexOf(timeframe);
  if (divided >= 0) return DIVIDED[divided + 1];
  return DIVIDED.findLast((shorter) => TIMEFRAME_MS[shorter] < TIMEFRAME_MS[timeframe]);
}

/** Recorded candles, else candles built from a shorter recording, else simulated ones that agree with the next timeframe. */
function replaySource(
  recordings: Recordings,
  { symbol, timeframe }: ReplayedMarket,
): CandleSource | undefined {
  const instrument = Object.hasOwn(DEMO_INSTRUMENTS, symbol) ? DEMO_INSTRUMENTS[symbol] : undefined;
  if (!instrument) return undefined;
  const recording = recordings.find(symbol, timeframe);
  if (recording) return recordedSource(recording, timeframe);
  const from = recordings.sourceOf(symbol, timeframe) ?? madeFrom(timeframe);
  if (!from) return simulatedDays(symbol, instrument);
  const source = replaySource(recordings, { symbol, timeframe: from });
  if (!source) return undefined;
  const timeframes = { from, to: timeframe };
  return TIMEFRAME_MS[from] < TIMEFRAME_MS[timeframe]
    ? resampledSource(source, timeframes)
    : subdividedSource(source, { ...timeframes, symbol, decimals: instrument.decimals });
}

/** Shorter candles that add up to those of `within`. Recordings of different timeframes are of different weeks and do not. */
function replayPartsSource(
  recordings: Recordings,
  { symbol, timeframe, within }: ReplayedMarket & { within: Timeframe },
): CandleSource | undefined {
  const source = replaySource(recordings, { symbol, timeframe: within });
  const instrument = DEMO_INSTRUMENTS[symbol];
  if (!source || !instrument || within === SHORTEST) return source;
  const { decimals } = instrument;
  const finest = subdividedSource(source, { from: within, to: SHORTEST, symbol, decimals });
  if (timeframe === SHORTEST) return finest;
  return resampledSource(finest, { from: SHORTEST, to: timeframe });
}
