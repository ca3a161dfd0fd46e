import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import type { CandleSource } from "./candle-source.ts";

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
