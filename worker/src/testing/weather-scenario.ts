import { HOUR_MS, MINUTE_MS } from "@shared/contract/constants.ts";
import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { validUntil } from "@shared/contract/signal.ts";
import type { Trade } from "@shared/outcomes/simulate-trade.ts";
import { type Weather, weather } from "@shared/testing/fakes/weather.ts";
import fc from "fast-check";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import {
  completeCandles,
  type PlainOutcome,
  plainOutcome,
  plainOutcomeWithoutData,
} from "./plain-outcome.ts";

/** At every timeframe up to an hour, a block of 300 candles ends then. */
const BLOCK_END = 1_640 * 300 * HOUR_MS;
/** When the first trades can be opened. */
export const WEATHER_START = BLOCK_END - 10 * HOUR_MS;
/** By then every trade has to be decided: the longest hold limit, and a day without candles. */
export const WEATHER_END = WEATHER_START + 62 * HOUR_MS;
const TRADING_MS = 6 * HOUR_MS;
const HISTORY_CANDLES = 400;
/** Prices have two decimals, so that touches are exact. */
const TICK = 0.05;
const START_PRICE = 100;
/** The provider that the trades come from, and another one. */
export const FIRST = "binance";
export const SECOND = "kraken";
/** How long a market is listed after its last trade. */
const LAST_HOURS_MS = 12 * HOUR_MS;

/** Usual move of the price in a few candles, in ticks. */
const REACH = { "1m": 6, "5m": 14, "15m": 24, "1h": 48 } as const;
const TIMEFRAMES = ["1m", "5m", "15m", "1h"] as const;

const sometimes = (max: number) =>
  fc.oneof(fc.constant(0), fc.double({ max, min: 0, noNaN: true }));

const planArbitrary = fc.record({
  timeframe: fc.constantFrom(...TIMEFRAMES),
  trades: fc.array(
    fc.record({
      afterMs: fc.integer({ min: 0, max: TRADING_MS }),
      side: fc.constantFrom("BUY", "SELL"),
      entry: fc.oneof(fc.constant(0), fc.double({ min: -0.4, max: 0.4, noNaN: true })),
      risk: fc.double({ min: 0.05, max: 1, noNaN: true }),
      reward: fc.double({ min: 0.05, max: 1.5, noNaN: true }),
      holdCandles: fc.integer({ min: 1, max: 20 }),
    }),
    { minLength: 3, maxLength: 3 },
  ),
  climate: fc.record({
    quietShare: sometimes(0.6),
    haltShare: sometimes(1),
    lagShare: sometimes(0.5),
    maxLagMs: fc.integer({ min: 0, max: 20 * MINUTE_MS }),
    missingShare: sometimes(0.05),
    badShare: sometimes(0.05),
    repeatedShare: sometimes(0.1),
    strayShare: sometimes(0.1),
    reversedShare: sometimes(0.5),
    banShare: sometimes(0.5),
  }),
  walkSeed: fc.integer(),
  /** Of the last trade at the first provider, for a market that it delists. */
  endsAfterMs: fc.option(fc.integer({ min: HOUR_MS, max: 20 * HOUR_MS })),
  hasSecond: fc.boolean(),
  premiumPercent: fc.constantFrom(0, 0.1, 0.7),
});
type Plan = typeof planArbitrary extends fc.Arbitrary<infer Planned> ? Planned : never;

/** Trades of a market, and the weather in which they are resolved. */
export interface WeatherScenario {
  seed: number;
  symbol: string;
  timeframe: Timeframe;
  trades: readonly Trade[];
  weather: Weather;
  /** All minutes with trades at each provider, oldest first. */
  minutes: Readonly<Record<string, readonly Candle[]>>;
  isDelisted: boolean;
}

/** The scenario of a seed, always the same. */
export function weatherScenario(seed: number): WeatherScenario {
  const [plan] = fc.sample(planArbitrary, { seed, numRuns: 1 });
  if (!plan) throw new Error("no scenario was drawn");
  const symbol = `W${seed}/USDT`;
  const { timeframe, endsAfterMs, hasSecond, premiumPercent } = plan;
  const endsAt = WEATHER_START + (endsAfterMs ?? Number.POSITIVE_INFINITY);
  const sky = weather({
    ...plan.climate,
    seed,
    premiumPercent: { [SECOND]: premiumPercent },
    delistedAt: { [FIRST]: endsAt + LAST_HOURS_MS },
  });
  const all = walk(plan, (minute) =>
    sky.isTraded(symbol, { from: minute, until: minute + MINUTE_MS }),
  );
  const first = all.filter(({ time }) => time < endsAt);
  return {
    seed,
    symbol,
    timeframe,
    trades: plan.trades.map((one) => tradeOf(one, { symbol, timeframe, minutes: first })),
    weather: sky,
    minutes: { [FIRST]: first, ...(hasSecond && { [SECOND]: all }) },
    isDelisted: endsAfterMs !== null,
  };
}

/** Prices that wander and sometimes jump, after a long time without a change. */
function walk({ walkSeed, timeframe }: Plan, isTraded: (minute: number) => boolean): Candle[] {
  const random = xoroshiro128plus(walkSeed);
  const stillUntil = WEATHER_START - HOUR_MS;
  const stepMs = TIMEFRAME_MS[timeframe];
  const still = Array.from({ length: HISTORY_CANDLES }, (_, index) =>
    minuteOf(stillUntil - (HISTORY_CANDLES - index) * stepMs, [START_PRICE / TICK]),
  );
  const minutes: Candle[] = [];
  let ticks = START_PRICE / TICK;
  for (let time = stillUntil; time < WEATHER_END; time += MINUTE_MS) {
    if (!isTraded(time)) continue;
    const isJump = uniformInt(random, 1, 40) === 1;
    if (isJump) ticks += uniformInt(random, -12, 12);
    const course = [ticks];
    for (let step = 0; step < 3; step++) {
      ticks += uniformInt(random, -1, 1);
      course.push(ticks);
    }
    minutes.push(minuteOf(time, course));
  }
  return [...still, ...minutes];
}

const priceOf = (ticks: number): number => Math.round(ticks * TICK * 100) / 100;

function minuteOf(time: number, ticks: readonly number[]): Candle {
  const [open = 0, close = 0] = [ticks[0], ticks.at(-1)];
  return {
    time,
    open: priceOf(open),
    high: priceOf(Math.max(...ticks)),
    low: priceOf(Math.min(...ticks)),
    close: priceOf(close),
    volume: 1,
  };
}

interface TradedMarket {
  symbol: string;
  timeframe: Plan["timeframe"];
  minutes: readonly Candle[];
}

function tradeOf(plan: Plan["trades"][number], market: TradedMarket): Trade {
  const { symbol, timeframe, minutes } = market;
  const lengthMs = TIMEFRAME_MS[timeframe];
  const createdAt = WEATHER_START + plan.afterMs;
  const lastCandleAt = Math.floor(createdAt / lengthMs) * lengthMs;
  const price = minutes.findLast(({ time }) => time < lastCandleAt)?.close ?? START_PRICE;
  const sign = plan.side === "BUY" ? 1 : -1;
  const ticks = (share: number) => Math.round(share * REACH[timeframe]);
  const entry = price / TICK + ticks(plan.entry);
  return {
    symbol,
    timeframe,
    side: plan.side,
    entry: priceOf(entry),
    stopLoss: priceOf(entry - sign * Math.max(1, ticks(plan.risk))),
    takeProfit: priceOf(entry + sign * Math.max(1, ticks(plan.reward))),
    price,
    createdAt,
    validUntil: validUntil({ timeframe, lastCandleAt }),
    holdCandles: plan.holdCandles,
  };
}

/** What must come out: the first provider decides, then the other from the last candle of the first on. */
export function expectedOutcome(scenario: WeatherScenario, trade: Trade): PlainOutcome {
  const costs = DEFAULT_TRADING_COSTS.crypto;
  const first = scenario.minutes[FIRST] ?? [];
  const decided = plainOutcome({ trade, minutes: first, costs });
  if (decided) return decided;
  const lengthMs = TIMEFRAME_MS[trade.timeframe];
  const lastCandle = completeCandles(first, trade.timeframe).at(-1)?.time ?? 0;
  const second = (scenario.minutes[SECOND] ?? []).map((minute) =>
    scenario.weather.priced(SECOND, minute),
  );
  const then = { minutes: second, from: lastCandle + lengthMs };
  const later = plainOutcome({ trade, minutes: first, then, costs });
  return later ?? plainOutcomeWithoutData({ trade, minutes: first, then, costs });
}
