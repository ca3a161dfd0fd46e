import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import { TIMEFRAMES } from "@shared/contract/constants.ts";
import type { CandleSource } from "./candle-source.ts";
import { DEMO_INSTRUMENTS } from "./demo-instruments.ts";
import { recordedSource } from "./recorded-source.ts";
import type { Recordings } from "./recordings.ts";
import { resampledSource } from "./resampled-source.ts";
import { simulatedDays } from "./simulated-days.ts";
import { subdividedSource } from "./subdivided-source.ts";

/** All timeframes are whole numbers of it. */
const SHORTEST: Timeframe = "1m";

/**
 * How a timeframe without a recording is made: by joining shorter candles, or by dividing longer
 * ones.
 */
const MADE_FROM: Record<Timeframe, Timeframe | null> = {
  "1m": "5m",
  "5m": "1h",
  "15m": "5m",
  "30m": "5m",
  "1h": "1d",
  "4h": "1h",
  "1d": null,
};

/**
 * The endless market that stands for a symbol at a timeframe: its recording; else a shorter
 * recording joined to longer candles; else candles made up so that they agree with the next
 * timeframe. Undefined for a symbol that the demo does not know.
 */
export function replaySource(
  recordings: Recordings,
  { symbol, timeframe }: { symbol: string; timeframe: Timeframe },
): CandleSource | undefined {
  const instrument = Object.hasOwn(DEMO_INSTRUMENTS, symbol) ? DEMO_INSTRUMENTS[symbol] : undefined;
  if (!instrument) return undefined;
  const recording = recordings.find(symbol, timeframe);
  if (recording) return recordedSource(recording, timeframe);
  const from = longestRecordedPart(recordings, { symbol, timeframe }) ?? MADE_FROM[timeframe];
  if (!from) return simulatedDays(symbol, instrument);
  const source = replaySource(recordings, { symbol, timeframe: from });
  if (!source) return undefined;
  const timeframes = { from, to: timeframe };
  return TIMEFRAME_MS[from] < TIMEFRAME_MS[timeframe]
    ? resampledSource(source, timeframes)
    : subdividedSource(source, { ...timeframes, symbol, decimals: instrument.decimals });
}

/**
 * The same market at a shorter timeframe, made so that its candles add up to those at `within`. Recordings of different
 * timeframes are of different weeks, and do not. Undefined for a symbol that the demo does not know.
 */
export function replayPartsSource(
  recordings: Recordings,
  options: { symbol: string; timeframe: Timeframe; within: Timeframe },
): CandleSource | undefined {
  const { symbol, timeframe, within } = options;
  const source = replaySource(recordings, { symbol, timeframe: within });
  const instrument = DEMO_INSTRUMENTS[symbol];
  if (!source || !instrument || within === SHORTEST) return source;
  const { decimals } = instrument;
  const finest = subdividedSource(source, { from: within, to: SHORTEST, symbol, decimals });
  if (timeframe === SHORTEST) return finest;
  return resampledSource(finest, { from: SHORTEST, to: timeframe });
}

function longestRecordedPart(
  recordings: Recordings,
  { symbol, timeframe }: { symbol: string; timeframe: Timeframe },
): Timeframe | undefined {
  return TIMEFRAMES.findLast(
    (shorter) =>
      TIMEFRAME_MS[shorter] < TIMEFRAME_MS[timeframe] &&
      TIMEFRAME_MS[timeframe] % TIMEFRAME_MS[shorter] === 0 &&
      recordings.has(symbol, shorter),
  );
}
