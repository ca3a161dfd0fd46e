import { HOUR_MS, MINUTE_MS } from "@shared/contract/constants.ts";
import type { Candle, Timeframe } from "@shared/contract/market-data.ts";
import type { Resolution, TradingCosts } from "@shared/contract/resolution.ts";
import {
  type Bar,
  bars,
  buyTrade,
  mirrored,
  mirroredTrade,
  NO_TRADING_COSTS,
  NOON,
} from "@shared/testing/made-market.ts";
import { describe, expect, it } from "vitest";
import { resolveTrade } from "./resolve-trade.ts";
import type { FinerCandles, Trade } from "./simulate-trade.ts";

/** Finer candles of some longer ones, by their opening time. */
function finerFrom(
  parts: Readonly<Record<number, readonly Candle[]>>,
  timeframe: Timeframe = "1m",
): FinerCandles {
  return (candle, of) => {
    const candles = parts[candle.time];
    return Promise.resolve(
      candles && of !== timeframe ? { timeframe, candles: [...candles] } : null,
    );
  };
}

const LATER = NOON + 10_000 * HOUR_MS;
const hour = (index: number) => new Date(NOON + index * HOUR_MS).toISOString();
const minute = (index: number) => new Date(NOON + index * MINUTE_MS).toISOString();

/** Nothing happens. */
const CALM: Bar = [100, 101, 99, 100];
const calm = (count: number): Bar[] => Array.from({ length: count }, () => CALM);
/** Minutes of the first hour, in which nothing happens but what is given. */
const minutes = (happenings: Record<number, Bar>): Candle[] =>
  bars(
    Array.from({ length: 60 }, (_, index) =>
      index in happenings ? (happenings[index] ?? null) : CALM,
    ),
    { timeframe: "1m" },
  );

/** The entry waits for the price to fall to it, or to rise to it. */
const LIMIT = { price: 103 };
const STOP_ORDER = { price: 97 };

interface Case {
  name: string;
  trade?: Partial<Trade>;
  hours: readonly Bar[];
  /** Minutes of the first hour; absent: they cannot be had. */
  finer?: Candle[];
  /** Null while the trade is open. R multiples are without costs. */
  is: Partial<Resolution> | null;
}

const CASES: readonly Case[] = [
  // At the market
  {
    name: "an entry at the last close is filled at the next open, and wins beyond its target",
    hours: [[100.01, 104, 99, 103], CALM, [104, 111, 103, 110.5]],
    is: {
      outcome: "WIN",
      reason: "target",
      resolved_at: hour(3),
      filled_at: hour(0),
      fill: 100.01,
      exited_at: hour(2),
      exit: 110,
      r_multiple: 1.998,
      max_favourable_r: 1.998,
      max_adverse_r: 0.202,
    },
  },
  {
    name: "a limit order at the price of the open is not filled yet: a high before it proves no win",
    trade: LIMIT,
    hours: [[100, 111, 99, 100.5], CALM],
    is: null,
  },
  {
    name: "an exact touch of the target is not yet a win",
    hours: [[100, 110, 99, 105], CALM],
    is: null,
  },
  {
    name: "an exact touch of the stop is a loss",
    hours: [[100, 103, 95, 101]],
    is: { outcome: "LOSS", reason: "stop", exit: 95, r_multiple: -1, max_adverse_r: 1 },
  },
  {
    name: "a gap through the stop exits at the open, worse than the stop",
    hours: [CALM, [92, 93, 91, 92]],
    is: {
      outcome: "LOSS",
      reason: "stop",
      exit: 92,
      r_multiple: -1.6,
      exited_at: hour(1),
      resolved_at: hour(2),
      max_adverse_r: 1.6,
    },
  },
  {
    name: "a gap through the target exits at the open, better than the target",
    hours: [CALM, [112, 115, 111, 114]],
    is: { outcome: "WIN", exit: 112, r_multiple: 2.4, max_favourable_r: 2.4 },
  },
  {
    name: "a market that opens beyond the target leaves nothing to take",
    hours: [[112, 115, 111, 114], ...calm(4)],
    is: null,
  },
  // Stop and target in one candle
  {
    name: "both in one candle: the minutes say that the target came first",
    hours: [[100, 111, 94, 96]],
    finer: minutes({ 10: [100, 111, 100, 110], 40: [100, 100, 94, 96] }),
    is: { outcome: "WIN", reason: "target", exited_at: minute(10), resolved_at: hour(1) },
  },
  {
    name: "both in one candle: the minutes say that the stop came first",
    hours: [[100, 111, 94, 110]],
    finer: minutes({ 10: [100, 100, 94, 96], 40: [100, 111, 100, 110] }),
    is: { outcome: "LOSS", reason: "stop", exited_at: minute(10), resolved_at: hour(1) },
  },
  {
    name: "both in one minute is a loss",
    hours: [[100, 111, 94, 100]],
    finer: minutes({ 10: [100, 111, 94, 100] }),
    is: { outcome: "LOSS", reason: "both", exit: 95, r_multiple: -1, exited_at: minute(10) },
  },
  {
    name: "both in one candle whose minutes cannot be had any more is a loss",
    hours: [[100, 111, 94, 109]],
    is: { outcome: "LOSS", reason: "both", exit: 95, exited_at: hour(0) },
  },
  // Waiting for the entry
  {
    name: "a limit is filled at its price by a trade beyond it",
    trade: LIMIT,
    hours: [
      [103, 104, 101, 102],
      [102, 103, 99.5, 101],
    ],
    is: null,
  },
  {
    name: "an exact touch does not fill a limit",
    trade: { ...LIMIT, validUntil: NOON + HOUR_MS },
    hours: [[103, 104, 100, 102]],
    is: { outcome: "EXPIRED", reason: "not-filled", resolved_at: hour(1), fill: null, exit: null },
  },
  {
    name: "a limit that is never reached expires with its validity",
    trade: LIMIT,
    hours: Array.from({ length: 5 }, (): Bar => [103, 104, 102, 103]),
    is: {
      outcome: "EXPIRED",
      reason: "not-filled",
      resolved_at: hour(4),
      filled_at: null,
      r_multiple: null,
      max_favourable_r: null,
      max_adverse_r: null,
    },
  },
  {
    name: "a gap through a limit is filled at the open, better than the limit",
    trade: LIMIT,
    hours: [
      [98, 99, 97, 98],
      [98, 111, 98, 110.5],
    ],
    is: { outcome: "WIN", fill: 98, filled_at: hour(0), exit: 110, r_multiple: 2.4 },
  },
  {
    name: "a gap through a stop order is filled at the open, worse than its price",
    trade: STOP_ORDER,
    hours: [
      [104, 105, 103, 104],
      [104, 111, 103, 110.5],
    ],
    is: { outcome: "WIN", fill: 104, exit: 110, r_multiple: 1.2 },
  },
  {
    name: "a gap through entry and stop is in and out at the open",
    trade: LIMIT,
    hours: [[93, 94, 92, 93]],
    is: { outcome: "LOSS", reason: "stop", fill: 93, exit: 93, r_multiple: 0 },
  },
  // What else happens in the candle of the fill
  {
    name: "a stop below a limit that fills in the same candle comes after the fill",
    trade: LIMIT,
    hours: [[103, 104, 94, 96]],
    is: { outcome: "LOSS", reason: "stop", fill: 100, exit: 95, filled_at: hour(0) },
  },
  {
    name: "a target above a limit that fills in the same candle: the minutes say that it came before",
    trade: LIMIT,
    hours: [[103, 111, 99, 104]],
    finer: bars(
      Array.from({ length: 60 }, (_, index): Bar => {
        if (index === 5) return [103, 111, 103, 104];
        return index === 30 ? [103, 103, 99, 103] : [103, 104, 102, 103];
      }),
      { timeframe: "1m" },
    ),
    is: null,
  },
  {
    name: "a target above a limit that fills in the same candle does not count where nothing shows the order",
    trade: LIMIT,
    hours: [[103, 111, 99, 104]],
    is: null,
  },
  {
    name: "a candle that fills a limit and closes beyond its target has won",
    trade: LIMIT,
    hours: [[103, 112, 99, 111]],
    is: { outcome: "WIN", fill: 100, exit: 110, r_multiple: 2 },
  },
  {
    name: "a stop below a stop order that fills in the same candle: the minutes say that it came before",
    trade: STOP_ORDER,
    hours: [[97, 101, 94, 100.5]],
    finer: bars(
      Array.from({ length: 60 }, (_, index): Bar => {
        if (index === 5) return [97, 97, 94, 97];
        return index < 30 ? [97, 98, 96, 97] : [99, 101, 98, 100.5];
      }),
      { timeframe: "1m" },
    ),
    is: null,
  },
  {
    name: "a stop below a stop order that fills in the same candle is a loss where nothing shows the order",
    trade: STOP_ORDER,
    hours: [[97, 101, 94, 100.5]],
    is: { outcome: "LOSS", reason: "stop", fill: 100, exit: 95, r_multiple: -1 },
  },
  {
    name: "entry, stop and target in one candle is a loss where nothing shows the order",
    trade: STOP_ORDER,
    hours: [[97, 112, 94, 111]],
    is: { outcome: "LOSS", reason: "both", fill: 100, exit: 95 },
  },
  // Time
  {
    name: "nothing of the candle that the signal was made in counts where its minutes cannot be had",
    trade: { createdAt: NOON + 20 * MINUTE_MS },
    hours: [
      [100, 111, 94, 100],
      [101, 102, 100, 101],
    ],
    is: null,
  },
  {
    name: "of the candle that the signal was made in, the minutes after it count",
    trade: { createdAt: NOON + 20 * MINUTE_MS + 1 },
    hours: [[100, 111, 94, 100]],
    finer: minutes({ 10: [100, 100, 94, 96], 20: [100, 100, 94, 100], 40: [100, 111, 100, 110] }),
    is: { outcome: "WIN", filled_at: minute(21), exited_at: minute(40), resolved_at: hour(1) },
  },
  {
    name: "an entry that is reached as its validity ends does not count where nothing shows when",
    trade: { ...LIMIT, validUntil: NOON + 30 * MINUTE_MS },
    hours: [[103, 104, 99, 100]],
    is: { outcome: "EXPIRED", reason: "not-filled", resolved_at: hour(1) },
  },
  {
    name: "a trade that meets neither level ends with its hold, at that close",
    hours: [...calm(5), [100, 103, 99, 102], [102, 111, 101, 110]],
    is: {
      outcome: "EXPIRED",
      reason: "hold-over",
      resolved_at: hour(6),
      exited_at: hour(6),
      exit: 102,
      r_multiple: 0.4,
      max_favourable_r: 0.6,
      max_adverse_r: 0.2,
    },
  },
  {
    name: "a closed market ends neither the hold nor the trade",
    trade: { holdCandles: 3 },
    hours: [CALM, ...Array.from({ length: 48 }, () => null), CALM],
    is: null,
  },
  {
    name: "after a closed market the hold goes on where it stopped",
    trade: { holdCandles: 3 },
    hours: [CALM, ...Array.from({ length: 48 }, () => null), CALM, CALM],
    is: { outcome: "EXPIRED", reason: "hold-over", resolved_at: hour(51) },
  },
  {
    name: "an entry whose validity ends in a closed market expires when it opens again",
    trade: LIMIT,
    hours: [[103, 104, 102, 103], ...Array.from({ length: 48 }, () => null), [99, 100, 98, 99]],
    is: { outcome: "EXPIRED", reason: "not-filled", resolved_at: hour(50) },
  },
];

const NOT_EQUAL_MIRRORED = ["fill", "exit"] as const;

function asMirrored(expected: Partial<Resolution> | null): Partial<Resolution> | null {
  if (!expected) return null;
  const prices = NOT_EQUAL_MIRRORED.flatMap((name) => {
    const price = expected[name];
    return typeof price === "number" ? [[name, 200 - price] as const] : [];
  });
  return { ...expected, ...Object.fromEntries(prices) };
}

function expectResolution(
  resolution: Resolution | null,
  expected: Partial<Resolution> | null,
): void {
  if (expected === null) expect(resolution).toBeNull();
  else expect(resolution).toMatchObject(expected);
}

describe("a BUY", () => {
  it.each(CASES)("$name", async ({ trade, hours, finer, is }) => {
    const resolution = await resolveTrade({
      trade: buyTrade(trade),
      candles: bars(hours),
      finer: finerFrom(finer ? { [NOON]: finer } : {}),
      now: LATER,
      costs: NO_TRADING_COSTS,
    });
    expectResolution(resolution, is);
  });
});

describe("a SELL is its mirror image", () => {
  it.each(CASES)("$name", async ({ trade, hours, finer, is }) => {
    const resolution = await resolveTrade({
      trade: mirroredTrade(buyTrade(trade)),
      candles: mirrored(bars(hours)),
      finer: finerFrom(finer ? { [NOON]: mirrored(finer) } : {}),
      now: LATER,
      costs: NO_TRADING_COSTS,
    });
    expectResolution(resolution, asMirrored(is));
  });
});

describe("a resolution", () => {
  const resolve = (options: { hours: readonly Bar[]; now?: number; costs?: TradingCosts }) =>
    resolveTrade({
      trade: buyTrade(),
      candles: bars(options.hours),
      finer: finerFrom({}),
      now: options.now ?? LATER,
      costs: options.costs ?? NO_TRADING_COSTS,
    });

  it("is net of half the spread and the commission at the entry and at the exit, and names them", async () => {
    const costs = { spread_percent: 0.1, commission_percent: 0.2 };
    const resolution = await resolve({ hours: [[100, 111, 99, 110]], costs });
    // 0.25 % of 100 and of 110 are 0.525, and the risk is 5.
    expect(resolution).toMatchObject({ fill: 100, exit: 110, r_multiple: 2 - 0.105, costs });
  });

  it("names the costs of a trade that was never filled, too", async () => {
    const costs = { spread_percent: 0.1, commission_percent: 0.2 };
    const unfilled = buyTrade({ entry: 90, stopLoss: 85, validUntil: NOON + HOUR_MS });
    const candles = bars([[100, 101, 99, 100]]);
    const resolution = await resolveTrade({
      trade: unfilled,
      candles,
      finer: finerFrom({}),
      now: LATER,
      costs,
    });
    expect(resolution).toMatchObject({ reason: "not-filled", r_multiple: null, costs });
  });

  it("is not made before the candle that decides has closed", async () => {
    const hours: Bar[] = [[100, 111, 99, 110]];
    expect(await resolve({ hours, now: NOON + HOUR_MS - 1 })).toBeNull();
    expect(await resolve({ hours, now: NOON + HOUR_MS })).toMatchObject({ outcome: "WIN" });
  });

  it("goes down level by level: five minutes first, then their minutes", async () => {
    const day = 24 * HOUR_MS;
    const from = NOON - 12 * HOUR_MS;
    const resolution = await resolveTrade({
      trade: buyTrade({ timeframe: "1d", createdAt: from, validUntil: from + 2 * day }),
      candles: bars([[100, 111, 94, 100]], { timeframe: "1d", from }),
      finer: (candle, timeframe) => {
        if (timeframe === "1d") {
          const candles = bars([CALM, [100, 111, 94, 100]], { timeframe: "5m", from });
          return Promise.resolve({ timeframe: "5m", candles });
        }
        const prices: Bar[] = [CALM, [100, 111, 99, 110], CALM, [100, 100, 94, 95], CALM];
        const candles = bars(prices, { timeframe: "1m", from: candle.time });
        return Promise.resolve(timeframe === "5m" ? { timeframe: "1m", candles } : null);
      },
      now: LATER,
      costs: NO_TRADING_COSTS,
    });
    expect(resolution).toMatchObject({
      outcome: "WIN",
      exited_at: new Date(from + 6 * MINUTE_MS).toISOString(),
      resolved_at: new Date(from + day).toISOString(),
    });
  });
});
