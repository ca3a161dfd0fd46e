import { HOUR_MS } from "@shared/contract/constants.ts";
import { type Candle, TIMEFRAME_MS } from "@shared/contract/market-data.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import {
  bars,
  buyTrade,
  mirrored,
  mirroredTrade,
  NO_TRADING_COSTS,
  NOON,
} from "@shared/testing/made-market.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { followTrade, resolveTrade } from "./resolve-trade.ts";
import type { FinerCandles, Trade } from "./simulate-trade.ts";

/** Prices on a grid of halves about 100, so that touches and mirror images are exact. */
const price = fc.integer({ min: 170, max: 230 }).map((halves) => halves / 2);
const hourly: fc.Arbitrary<Candle[]> = fc
  .array(fc.option(fc.tuple(price, price, price, price), { freq: 8 }), {
    minLength: 1,
    maxLength: 40,
  })
  .map((rows) =>
    bars(
      rows.map((row) => {
        if (!row) return null;
        const [open, close, one, other] = row;
        return [open, Math.max(...row), Math.min(one, other, open, close), close] as const;
      }),
    ),
  );
const trade: fc.Arbitrary<Trade> = fc
  .record({
    entry: fc.integer({ min: 190, max: 210 }),
    risk: fc.integer({ min: 1, max: 20 }),
    reward: fc.integer({ min: 1, max: 30 }),
    price,
    createdAt: fc.integer({ min: NOON, max: NOON + 3 * HOUR_MS }),
    validHours: fc.integer({ min: 1, max: 6 }),
    holdCandles: fc.integer({ min: 1, max: 12 }),
  })
  .map(({ entry, risk, reward, validHours, ...rest }) =>
    buyTrade({
      ...rest,
      entry: entry / 2,
      stopLoss: (entry - risk) / 2,
      takeProfit: (entry + reward) / 2,
      validUntil: rest.createdAt + validHours * HOUR_MS,
    }),
  );

/** The course of an hour in minutes that add up to it: up first, or down first, by its opening time. */
const finer: FinerCandles = ({ time, open, high, low, close }, timeframe) => {
  if (timeframe !== "1h") return Promise.resolve(null);
  const isUpFirst = (time / HOUR_MS) % 2 === 0;
  const turns = isUpFirst ? [open, high, low, close] : [open, low, high, close];
  const candles = bars(
    [0, 1, 2].map((index) => {
      const [from = open, to = close] = turns.slice(index);
      return [from, Math.max(from, to), Math.min(from, to), to] as const;
    }),
    { timeframe: "1m", from: time },
  );
  return Promise.resolve({ timeframe: "1m", candles });
};
const none: FinerCandles = () => Promise.resolve(null);

const percent = fc.integer({ min: 0, max: 100 }).map((hundredths) => hundredths / 100);
const anyCosts = fc.record({ spread_percent: percent, commission_percent: percent });

const LATER = NOON + 1_000 * HOUR_MS;
const sources = fc.constantFrom(finer, none);

describe("any trade in any market", () => {
  it("is resolved like its mirror image", async () => {
    const upsideDown =
      (source: FinerCandles): FinerCandles =>
      async (candle, timeframe) => {
        const [original] = mirrored([candle]);
        const parts = original ? await source(original, timeframe) : null;
        return parts && { ...parts, candles: mirrored(parts.candles) };
      };
    await fc.assert(
      fc.asyncProperty(trade, hourly, sources, async (bought, candles, source) => {
        const rest = { now: LATER, costs: NO_TRADING_COSTS };
        const one = await resolveTrade({ trade: bought, candles, finer: source, ...rest });
        const sold = mirroredTrade(bought);
        const other = await resolveTrade({
          trade: sold,
          candles: mirrored(candles),
          finer: upsideDown(source),
          ...rest,
        });
        const { fill, exit, ...plain } = one ?? { fill: null, exit: null };
        const turned = other && {
          ...plain,
          fill: fill === null ? null : 200 - fill,
          exit: exit === null ? null : 200 - exit,
        };
        return JSON.stringify(sorted(other)) === JSON.stringify(sorted(one && turned));
      }),
    );
  });

  it("is resolved late as in time, whatever came later", async () => {
    await fc.assert(
      fc.asyncProperty(trade, hourly, sources, async (given, candles, source) => {
        const rest = { trade: given, finer: source, costs: DEFAULT_TRADING_COSTS.crypto };
        const late = await resolveTrade({ ...rest, candles, now: LATER });
        for (const { time } of candles) {
          const now = time + TIMEFRAME_MS["1h"];
          const early = await resolveTrade({ ...rest, candles, now });
          if (early) return JSON.stringify(early) === JSON.stringify(late);
        }
        return late === null;
      }),
    );
  });

  it("is filled once, by closed candles, at the price and time of its resolution", async () => {
    await fc.assert(
      fc.asyncProperty(trade, hourly, sources, async (given, candles, source) => {
        const rest = { trade: given, finer: source, costs: DEFAULT_TRADING_COSTS.crypto };
        const late = await followTrade({ ...rest, candles, now: LATER });
        const seen = [late.fill];
        for (const { time } of candles) {
          const { fill } = await followTrade({ ...rest, candles, now: time + HOUR_MS });
          if (fill) seen.push(fill);
        }
        const [fill, filled_at] = [late.fill?.price ?? null, late.fill?.at.toISOString() ?? null];
        if (late.resolution) expect(late.resolution).toMatchObject({ fill, filled_at });
        expect(new Set(seen.map((one) => JSON.stringify(one))).size).toBe(1);
      }),
    );
  });

  it("does not depend on prices before it was made or after it was decided", async () => {
    await fc.assert(
      fc.asyncProperty(trade, hourly, hourly, async (given, candles, others) => {
        const rest = { trade: given, finer: none, costs: DEFAULT_TRADING_COSTS.crypto, now: LATER };
        const one = await resolveTrade({ ...rest, candles });
        const decidedAt = one ? Date.parse(one.resolved_at) : LATER;
        const isOpen = ({ time }: Candle) => time >= given.createdAt && time < decidedAt;
        const counted = candles.filter(isOpen);
        const mixed = [...counted, ...others.filter((other) => !isOpen(other))].sort(
          (a, b) => a.time - b.time,
        );
        if (!one) return (await resolveTrade({ ...rest, candles: counted })) === null;
        return (
          JSON.stringify(await resolveTrade({ ...rest, candles: mixed })) === JSON.stringify(one)
        );
      }),
    );
  });

  it("has a result that follows from its recorded prices and costs", async () => {
    await fc.assert(
      fc.asyncProperty(trade, hourly, anyCosts, async (given, candles, costs) => {
        const resolved = await resolveTrade({
          trade: given,
          candles,
          finer: none,
          now: LATER,
          costs,
        });
        if (!resolved || resolved.fill === null || resolved.exit === null) return true;
        const { fill, exit } = resolved;
        const paid =
          (fill + exit) * (resolved.costs.spread_percent / 2 + resolved.costs.commission_percent);
        const result = (exit - fill - paid / 100) / (given.entry - given.stopLoss);
        return Math.abs(result - (resolved.r_multiple ?? Number.NaN)) < 0.0001;
      }),
    );
  });

  it("never wins less than nothing before its costs, nor loses less than its risk but by a gap", async () => {
    await fc.assert(
      fc.asyncProperty(trade, hourly, sources, async (given, candles, source) => {
        const resolution = await resolveTrade({
          trade: given,
          candles,
          finer: source,
          now: LATER,
          costs: NO_TRADING_COSTS,
        });
        const r = resolution?.r_multiple ?? 0;
        if (resolution?.outcome === "WIN") return r > 0;
        return resolution?.outcome !== "LOSS" || r <= 0 || resolution.fill !== given.entry;
      }),
    );
  });
});

const sorted = (value: object | null) =>
  value && Object.fromEntries(Object.entries(value).sort(([a], [b]) => a.localeCompare(b)));
