import type { Resolution } from "@shared/contract/resolution.ts";
import { randomCases } from "@shared/testing/random-cases.ts";
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
    funding: null,
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

  describe("with funding of 0.01 % every 8 hours", () => {
    const EIGHT = 8 * 60;
    const funding = { percent: 0.01, hours: 8 };
    const short = { side: "SELL", stopLoss: 110, takeProfit: 80 } as const;
    /** Of 1,000 US dollars, 10 are risked: with the stop at 10 % of the price, the position has 100. */
    const fundingOf = (
      [filledAt, exitedAt]: [number, number],
      more: Partial<FollowedSignal> = {},
    ): number => follow(signalOf({ filledAt, exitedAt }, { funding, ...more })).funding;

    it.each<[string, [number, number], number]>([
      ["it is between two funding times", [1, EIGHT - 1], 0],
      ["it is entered at one and closed before the next", [EIGHT, 2 * EIGHT - 1], 0],
      ["it is closed at one", [1, EIGHT], -0.01],
      ["it is entered at one and closed at the next", [EIGHT, 2 * EIGHT], -0.01],
      ["it is entered and closed at one", [EIGHT, EIGHT], 0],
      ["it is open over one", [EIGHT - 1, EIGHT + 1], -0.01],
      ["it is open for several days", [0, 3 * 24 * 60 + 1], -0.09],
    ])("a BUY pays at each funding time that it is open: %s", (_, span, paid) => {
      expect(fundingOf(span)).toBe(paid);
    });

    it("a SELL receives what a BUY pays, and the other way round for a negative rate", () => {
      const negative = { ...funding, percent: -0.02 };
      expect(fundingOf([1, 3 * EIGHT], short)).toBe(0.03);
      expect(fundingOf([1, 3 * EIGHT], { funding: negative })).toBe(0.06);
      expect(fundingOf([1, 3 * EIGHT], { ...short, funding: negative })).toBe(-0.06);
    });

    it("is paid more often where the exchange does so", () => {
      expect(fundingOf([1, EIGHT], { funding: { ...funding, hours: 4 } })).toBe(-0.02);
      expect(fundingOf([1, EIGHT], { funding: { ...funding, hours: 1 } })).toBe(-0.08);
    });

    it("is of the size at the fill, from the entry on that the delay allows", () => {
      const from = START + 5 * MINUTE;
      const later = { price: 104, at: from };
      const often = { percent: 1, hours: 1 };
      expect(follow(signalOf({ filledAt: -1 }, { funding: often })).funding).toBe(-2);
      expect(follow(signalOf({ filledAt: -1 }, { funding: often, from, later })).funding).toBe(
        -1.04,
      );
    });

    it("is in the balance, the profit and the drawdown, and not in R", () => {
      const often = { percent: 5, hours: 8 };
      const paid = { filledAt: 1, exitedAt: EIGHT, r: 0.2 };
      const account = follow(
        signalOf(paid, { funding: often }),
        signalOf({ filledAt: EIGHT + 1, exitedAt: EIGHT + 2, r: 1 }, { funding: often }),
      );
      expect(account).toMatchObject({
        ...{ end_balance: 1_006.97, max_drawdown_percent: 0.3, funding: -5, total_r: 1.2 },
        ...{ trades: 2, wins: 1, without_funding: 0 },
        by_day: [{ wins: 1, total_r: 1.2, profit: 6.97 }],
        results: [
          { r_multiple: 0.2, funding: -5, profit: -3, balance: 997 },
          { r_multiple: 1, funding: 0, profit: 9.97, balance: 1_006.97 },
        ],
      });
    });

    it("is that of entries at random too, and of no coin that is held", () => {
      const trades = (more: Partial<FollowedSignal>) =>
        follow(signalOf({ filledAt: 1, exitedAt: EIGHT }, more));
      const without = trades({});
      const paying = trades({ funding: { percent: 1, hours: 8 } });
      expect(paying.random?.high).toBeCloseTo((without.random?.high ?? 0) - 1, 2);
      expect(paying.random?.low).toBeCloseTo((without.random?.low ?? 0) - 1, 2);
      expect(paying.holding).toEqual(without.holding);
    });

    it("is missing for crypto without a known rate, if there would have been any", () => {
      const unknown = { funding: null };
      const over = { filledAt: 1, exitedAt: EIGHT };
      const account = follow(
        signalOf(over, unknown),
        signalOf(over, { ...unknown, symbol: "EUR/USD" }),
        signalOf({ filledAt: 1, exitedAt: 60 }, unknown),
        signalOf(over, { funding }),
      );
      expect(account).toMatchObject({ trades: 4, without_funding: 1, funding: -0.01 });
    });
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

interface DrawnTrade extends Ending {
  side: "BUY" | "SELL";
  /** Null if it is not known. */
  funding: FollowedSignal["funding"];
}

/** Dollars that a position received, hour by hour from the midnight at `START`. Its stop is 10 away from its entry. */
function plainFunding(
  { filledAt, exitedAt, fill, side, funding }: DrawnTrade,
  risk: number,
): number {
  if (!funding) return 0;
  const fee = ((risk / 10) * fill * funding.percent) / 100;
  let received = 0;
  for (let hour = 0; hour * 60 <= exitedAt; hour += 1) {
    const isHeld = filledAt < hour * 60;
    if (isHeld && hour % funding.hours === 0) received += side === "BUY" ? -fee : fee;
  }
  return received;
}

/** Another way to the same balance: what was earned before each entry, trade by trade, without a schedule. */
function plainAccount(
  endings: readonly DrawnTrade[],
  start: number,
  riskPercent: number,
): { endBalance: number; funding: number } {
  const byEntry = endings.toSorted((one, other) => one.filledAt - other.filledAt);
  const profits: number[] = [];
  let funding = 0;
  const earnedUntil = (time: number, trades: number) =>
    byEntry.slice(0, trades).reduce((sum, { exitedAt }, trade) => {
      return exitedAt <= time ? sum + (profits[trade] ?? 0) : sum;
    }, start);
  for (const [index, trade] of byEntry.entries()) {
    const risk = Math.max(0, earnedUntil(trade.filledAt, index)) * (riskPercent / 100);
    const received = plainFunding(trade, risk);
    funding += received;
    profits.push(risk * trade.r + received);
  }
  return { endBalance: earnedUntil(Number.POSITIVE_INFINITY, byEntry.length), funding };
}

describe("random histories", () => {
  const endings = fc.array(
    fc.record({
      filledAt: fc.nat({ max: 2_000 }),
      length: fc.oneof(fc.nat({ max: 500 }), fc.nat({ max: 3_000 })),
      fill: fc.integer({ min: 9_000, max: 11_000 }).map((price) => price / 100),
      side: fc.constantFrom("BUY", "SELL"),
      funding: fc.option(
        fc.record({
          percent: fc.integer({ min: -2_000, max: 2_000 }).map((percent) => percent / 10_000),
          hours: fc.constantFrom(1, 4, 8),
        }),
      ),
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
        const all = drawn.map(({ length, ...trade }): DrawnTrade => {
          return { ...trade, exitedAt: trade.filledAt + length, exit: 110 };
        });
        const { end_balance, funding } = followSignals(
          all.map(({ side, funding: known, ...ending }) =>
            signalOf(ending, { side, stopLoss: side === "BUY" ? 90 : 110, funding: known }),
          ),
          { startBalance, riskPercent },
        );
        const plain = plainAccount(all, startBalance, riskPercent);
        const noise = Math.abs(plain.endBalance) * 1e-12;
        expect(Math.abs(end_balance - plain.endBalance)).toBeLessThanOrEqual(0.005 + noise);
        expect(Math.abs(funding - plain.funding)).toBeLessThanOrEqual(0.005 + noise);
      }),
      randomCases(10_000),
    );
  }, 120_000);
});
