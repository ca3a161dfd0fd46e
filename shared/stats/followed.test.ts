import type { Resolution } from "@shared/contract/resolution.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type FollowedSignal, followSignals } from "./followed.ts";

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 5);
const COSTS = { spread_percent: 0.02, commission_percent: 0.05 };
const isoTime = (minute: number) => new Date(START + minute * MINUTE).toISOString();

interface Ending {
  filledAt: number;
  exitedAt: number;
  fill: number;
  exit: number;
  r: number;
}

const resolutionOf = ({ filledAt, exitedAt, fill, exit, r }: Ending): Resolution => ({
  outcome: r > 0 ? "WIN" : "LOSS",
  reason: r > 0 ? "target" : "stop",
  resolved_at: isoTime(exitedAt),
  filled_at: isoTime(filledAt),
  exited_at: isoTime(exitedAt),
  fill,
  exit,
  r_multiple: r,
  max_favourable_r: 0,
  max_adverse_r: 0,
  costs: COSTS,
});

let ids = 0;
/** A BUY at 100 with the stop at 90 and the target at 120. */
function signalOf(
  ending: Partial<Ending> | null,
  more: Partial<FollowedSignal> = {},
): FollowedSignal {
  ids += 1;
  const base = { filledAt: 0, exitedAt: 60, fill: 100, exit: 120, r: 2 };
  return {
    signalId: `signal ${ids}`,
    analysisId: `analysis ${ids}`,
    symbol: "BTC/USDT",
    timeframe: "1h",
    side: "BUY",
    entry: 100,
    stopLoss: 90,
    takeProfit: 120,
    signalPrice: 100,
    validUntil: START + 240 * MINUTE,
    isDemo: false,
    resolution: ending && resolutionOf({ ...base, ...ending }),
    from: null,
    later: null,
    ...more,
  };
}
const ACCOUNT = { startBalance: 1_000, riskPercent: 1 };
const follow = (...signals: FollowedSignal[]) => followSignals(signals, ACCOUNT);

describe("an account that follows signals", () => {
  it("risks a share of the balance at each entry", () => {
    const { end_balance, equity, results, total_r } = follow(
      signalOf({ r: 2 }),
      signalOf({ r: -1, filledAt: 60, exitedAt: 120 }),
    );
    expect(results.map(({ profit }) => profit)).toEqual([20, -10.2]);
    expect(end_balance).toBe(1_009.8);
    expect(total_r).toBe(1);
    expect(equity.map(({ balance }) => balance)).toEqual([1_000, 1_020, 1_009.8]);
  });

  it("gives overlapping trades the balance of their entry", () => {
    const { results } = follow(
      signalOf({ r: 2, exitedAt: 100 }),
      signalOf({ r: -1, filledAt: 50, exitedAt: 150 }),
      signalOf({ r: 1, filledAt: 100, exitedAt: 110 }),
    );
    expect(results.map(({ profit }) => profit)).toEqual([20, 10.2, -10]);
  });

  it("enters and leaves within one candle", () => {
    expect(follow(signalOf({ filledAt: 5, exitedAt: 5 }))).toMatchObject({ trades: 1 });
  });

  it("measures the drawdown from the high before it", () => {
    const exits = [2, -1, -1, 3].map((r, at) =>
      signalOf({ r, filledAt: at * 60, exitedAt: at * 60 + 30 }),
    );
    expect(follow(...exits).max_drawdown_percent).toBe(1.99);
  });

  it("has the sums of each market and day", () => {
    const { by_market, by_day } = follow(
      signalOf({ r: 2 }),
      signalOf({ r: -1, filledAt: 60, exitedAt: 1_500 }, { symbol: "ETH/USDT" }),
    );
    expect(by_market).toEqual([
      { symbol: "BTC/USDT", trades: 1, wins: 1, total_r: 2, profit: 20 },
      { symbol: "ETH/USDT", trades: 1, wins: 0, total_r: -1, profit: -10.2 },
    ]);
    expect(by_day.map(({ day, profit }) => [day, profit])).toEqual([
      ["2026-01-05", 20],
      ["2026-01-06", -10.2],
    ]);
  });

  it("says why it has skipped a signal", () => {
    const minute = (at: number) => START + at * MINUTE;
    const late = { from: minute(5) };
    const at = (price: number, time = 10) => ({ ...late, later: { price, at: minute(time) } });
    const unfilled = signalOf({});
    unfilled.resolution = {
      ...resolutionOf({ filledAt: 0, exitedAt: 9, fill: 1, exit: 1, r: 1 }),
      fill: null,
    };
    const twice = signalOf({});
    const { skipped, trades } = follow(
      signalOf(null),
      unfilled,
      twice,
      { ...twice, signalId: "again" },
      signalOf({}, { from: minute(240), validUntil: minute(200) }),
      signalOf({}, { ...at(100, 30), validUntil: minute(20) }),
      signalOf({ exitedAt: 4 }, late),
      signalOf({ exitedAt: 7 }, at(100)),
      signalOf({}, late),
      signalOf({}, at(106)),
      signalOf({}, at(94)),
    );
    expect(trades).toBe(1);
    expect(Object.fromEntries(skipped.map(({ reason, count }) => [reason, count]))).toEqual({
      pending: 1,
      "not-filled": 1,
      repeated: 1,
      "too-late": 2,
      "ended-before": 2,
      "no-price": 1,
      "entry-left": 2,
    });
  });

  it("enters late at the first known price, and as the ledger has it if that was later", () => {
    const from = START + 5 * MINUTE;
    const later = { price: 102, at: START + 10 * MINUTE };
    const { results } = follow(
      signalOf({}, { from, later }),
      signalOf({ filledAt: 6 }, { from, later }),
      signalOf(
        { exit: 80, r: 2 },
        { from, later: { price: 98, at: later.at }, side: "SELL", stopLoss: 110, takeProfit: 80 },
      ),
    );
    const r = (gain: number, fill: number, exit: number) =>
      Number(((gain - ((fill + exit) / 2) * 0.0012) / 10).toFixed(4));
    const found = new Map(results.map(({ fill, r_multiple }) => [fill, r_multiple]));
    expect(found.get(100)).toBe(2);
    expect(found.get(102)).toBe(r(18, 102, 120));
    expect(found.get(98)).toBe(r(18, 98, 80));
  });

  it("stops when nothing is left", () => {
    const all = { startBalance: 100, riskPercent: 100 };
    const { end_balance, skipped, trades } = followSignals(
      [signalOf({ r: -1.2 }), signalOf({ filledAt: 70, exitedAt: 80 })],
      all,
    );
    expect({ end_balance, trades, skipped }).toEqual({
      end_balance: -20,
      trades: 1,
      skipped: [{ reason: "no-balance", count: 1 }],
    });
  });

  it("is compared with holding each market from its first entry to its last exit", () => {
    const { holding } = follow(
      signalOf({ fill: 100, exit: 120 }),
      signalOf({ filledAt: 60, exitedAt: 120, fill: 115, exit: 110, r: -1 }),
      signalOf({ fill: 50, exit: 40, r: -1 }, { symbol: "ETH/USDT" }),
    );
    const part = (fill: number, exit: number) =>
      500 * (1 + (exit - fill - ((fill + exit) / 2) * 0.0012) / fill);
    expect(holding?.end_balance).toBeCloseTo(part(100, 110) + part(50, 40), 2);
  });

  it("claims nothing within what entries at random give, and nothing of few trades", () => {
    const many = (r: (trade: number) => number, count = 40) =>
      follow(
        ...Array.from({ length: count }, (_, trade) =>
          signalOf({ r: r(trade), filledAt: trade * 60, exitedAt: trade * 60 + 30 }),
        ),
      );
    expect(many(() => 2).verdict).toBe("better");
    expect(many(() => -1).verdict).toBe("worse");
    expect(many((trade) => (trade % 3 === 0 ? 2 : -1)).verdict).toBe("same");
    expect(many(() => 2, 29).verdict).toBeNull();
    const { random } = many(() => 2);
    expect(random?.low).toBeLessThan(1_000);
    expect(random?.high).toBeGreaterThan(1_000);
  });

  it("is empty without signals", () => {
    expect(follow()).toMatchObject({
      end_balance: 1_000,
      trades: 0,
      equity: [],
      random: null,
      holding: null,
    });
  });
});

/** Another way to the same balance: what was earned before each entry, trade by trade, without a schedule. */
function plainEndBalance(endings: readonly Ending[], start: number, riskPercent: number): number {
  const byEntry = endings.toSorted((one, other) => one.filledAt - other.filledAt);
  const profits: number[] = [];
  const earnedUntil = (time: number, trades: number) =>
    byEntry.slice(0, trades).reduce((sum, { exitedAt }, trade) => {
      return exitedAt <= time ? sum + (profits[trade] ?? 0) : sum;
    }, start);
  for (const [trade, { filledAt, r }] of byEntry.entries()) {
    profits.push(Math.max(0, earnedUntil(filledAt, trade)) * (riskPercent / 100) * r);
  }
  return earnedUntil(Number.POSITIVE_INFINITY, byEntry.length);
}

describe("10,000 random histories", () => {
  const endings = fc.array(
    fc.record({
      filledAt: fc.nat({ max: 2_000 }),
      length: fc.nat({ max: 500 }),
      r: fc.integer({ min: -15_000, max: 40_000 }).map((r) => r / 10_000),
    }),
    { maxLength: 60 },
  );

  it("end as in another implementation, to the cent", () => {
    const account = fc.record({
      startBalance: fc.integer({ min: 1, max: 1_000_000 }),
      riskPercent: fc.integer({ min: 1, max: 500 }).map((percent) => percent / 100),
    });
    fc.assert(
      fc.property(endings, account, (drawn, { startBalance, riskPercent }) => {
        const all = drawn.map(({ filledAt, length, r }) => ({
          ...{ filledAt, exitedAt: filledAt + length, fill: 100, exit: 110, r },
        }));
        const { end_balance } = followSignals(
          all.map((one) => signalOf(one)),
          { startBalance, riskPercent },
        );
        const plain = plainEndBalance(all, startBalance, riskPercent);
        expect(Math.abs(end_balance - plain)).toBeLessThanOrEqual(0.005 + plain * 1e-12);
      }),
      { numRuns: 10_000 },
    );
  }, 120_000);
});
