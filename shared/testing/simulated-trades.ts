import { HOUR_MS } from "@shared/contract/constants.ts";
import { closedTrade, type PerformanceSample } from "@shared/stats/tally.ts";
import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import type { RandomGenerator } from "pure-rand/types/RandomGenerator";

const START = Date.UTC(2026, 0, 1);
const TICKS_PER_HOUR = 4;
/** Hours of history that the first trade needs. */
const TREND_HOURS = 24;
const PRICE = 1_000;

/** When each instrument may get a trade, and how long it is open at most. */
interface TradeRhythm {
  /** Hours between two moments at which each instrument may get a trade, and the chance that it does. */
  everyHours: number;
  chance: number;
  /** Hours after which an open trade is closed. */
  holdHours: number;
  /** Levels are so many times as far away: five times for a timeframe that is 25 times as long. */
  distance?: number;
}

/** A process that makes trades on prices that move one tick at a time. */
export interface TradeProcess extends TradeRhythm {
  seed: number;
  days: number;
  instruments: number;
  /** Trades of a longer timeframe on the same prices. */
  slow?: TradeRhythm;
  /** Chance of an up tick above one half. */
  drift?: number;
  /** Ticks that the price moves in favour of a trade right after its entry: an edge that does not depend on the hold. */
  headStart?: number;
  /** Costs of a trade, in ticks. */
  costs?: number;
  /** Each trade has prices of its own. By default, those of an instrument share one path. */
  isIndependent?: boolean;
}

/**
 * Trades with stops 4 to 9 ticks away and targets 1 to 3 times as far. Instruments share 70 % of their ticks, so their
 * prices move together. Each trade follows the last 24 hours of its instrument, so trades that overlap mostly have the
 * same side too; with a drift, all trades follow that. The same seed gives the same trades.
 */
export function simulateTrades(process: TradeProcess): PerformanceSample[] {
  const random = xoroshiro128plus(process.seed);
  const paths = process.isIndependent ? null : tickPaths(process, random);
  return rhythmsOf(process).flatMap((rhythm) =>
    entryHours(process.days, rhythm).flatMap((hour) =>
      Array.from({ length: process.instruments }, (_, instrument) => instrument)
        .filter(() => uniformFloat64(random) < rhythm.chance)
        .map((instrument) => {
          const path = paths?.[instrument];
          const prices = path ? pathFrom(path, hour * TICKS_PER_HOUR) : freshPath(process, random);
          const side = sideOf(process, { path, hour });
          return takeTrade({ process, rhythm, random, prices, side, hour });
        }),
    ),
  );
}

const rhythmsOf = (process: TradeProcess): TradeRhythm[] =>
  process.slow ? [process, process.slow] : [process];

function entryHours(days: number, { everyHours }: TradeRhythm): number[] {
  const count = Math.ceil((days * 24 - TREND_HOURS) / everyHours);
  return Array.from({ length: count }, (_, index) => TREND_HOURS + index * everyHours);
}

/** With the trend of the last 24 hours; with the drift where there is one. */
function sideOf(
  { drift = 0 }: TradeProcess,
  { path, hour }: { path: Int32Array | undefined; hour: number },
): 1 | -1 {
  if (!path || drift > 0) return 1;
  const start = hour * TICKS_PER_HOUR;
  const before = start - TREND_HOURS * TICKS_PER_HOUR;
  return (path[start] ?? 0) >= (path[before] ?? 0) ? 1 : -1;
}

/** Price of an instrument in ticks, so many ticks after a trade was made. */
type Prices = (ticks: number) => number;

function tickPaths(process: TradeProcess, random: RandomGenerator): Int32Array[] {
  const { days, instruments, drift = 0 } = process;
  const longestHours = Math.max(...rhythmsOf(process).map(({ holdHours }) => holdHours));
  const length = (days * 24 + longestHours + 1) * TICKS_PER_HOUR;
  const paths = Array.from({ length: instruments }, () => new Int32Array(length));
  const upBelow = (0.5 + drift) * 0x1_0000;
  for (let tick = 1; tick < length; tick += 1) {
    const common = (random.next() & 0xffff) < upBelow ? 1 : -1;
    for (const path of paths) {
      const bits = random.next();
      const own = (bits & 0xffff) < upBelow ? 1 : -1;
      const isCommon = bits >>> 16 < 0.7 * 0x1_0000;
      path[tick] = (path[tick - 1] ?? 0) + (isCommon ? common : own);
    }
  }
  return paths;
}

function pathFrom(path: Int32Array, start: number): Prices {
  const base = path[start] ?? 0;
  return (ticks) => (path[start + ticks] ?? 0) - base;
}

/** Has to be asked for one tick after the other. */
function freshPath({ drift = 0 }: TradeProcess, random: RandomGenerator): Prices {
  const upBelow = (0.5 + drift) * 0x1_0000;
  let price = 0;
  return () => {
    price += (random.next() & 0xffff) < upBelow ? 1 : -1;
    return price;
  };
}

function takeTrade(options: {
  process: TradeProcess;
  rhythm: TradeRhythm;
  random: RandomGenerator;
  prices: Prices;
  side: 1 | -1;
  hour: number;
}): PerformanceSample {
  const { process, rhythm, random, prices, side, hour } = options;
  const { headStart = 0, costs = 0 } = process;
  const { holdHours, distance = 1 } = rhythm;
  const stop = uniformInt(random, 4, 9) * distance;
  const target = Math.round(stop * (1 + 2 * uniformFloat64(random)));
  let held = 0;
  let gain = headStart;
  while (gain > -stop && gain < target && held < holdHours * TICKS_PER_HOUR) {
    held += 1;
    gain = headStart + side * prices(held);
  }
  const openedAt = START + hour * HOUR_MS;
  const reason = reasonOf({ gain, stop, target });
  return {
    category: CATEGORY_BY_REASON[reason],
    at: openedAt + (held * HOUR_MS) / TICKS_PER_HOUR,
    confidence: 0.7,
    calibratedConfidence: null,
    trade: closedTrade({
      reason,
      filled_at: new Date(openedAt).toISOString(),
      fill: PRICE,
      exit: PRICE + side * gain,
      r_multiple: (gain - costs) / stop,
      entry: PRICE,
      stopLoss: PRICE - side * stop,
      takeProfit: PRICE + side * target,
    }),
  };
}

const CATEGORY_BY_REASON = { target: "win", stop: "loss", "hold-over": "expired" } as const;

function reasonOf(trade: {
  gain: number;
  stop: number;
  target: number;
}): keyof typeof CATEGORY_BY_REASON {
  if (trade.gain >= trade.target) return "target";
  return trade.gain <= -trade.stop ? "stop" : "hold-over";
}
