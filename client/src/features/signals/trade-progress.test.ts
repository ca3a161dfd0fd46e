import { describe, expect, test } from "vitest";
import { type FollowedTrade, followTrade, nearLevel, unrealizedR } from "./trade-progress.ts";

const NOW = new Date("2026-11-20T12:30:00Z");
const at = "2026-11-20T12:00:00.000Z";
const buyLevels = { entry: 100, stopLoss: 95, takeProfit: 110 };
const sellLevels = { entry: 100, stopLoss: 105, takeProfit: 90 };

const trade = (changes: Partial<FollowedTrade> = {}): FollowedTrade => ({
  symbol: "MADE/USDT",
  levels: buyLevels,
  signalPrice: 102,
  validUntil: null,
  isReplayed: false,
  askedAt: "2026-11-20T11:00:00.000Z",
  filled: null,
  entryLeft: null,
  outcome: null,
  r: null,
  ...changes,
});
const live = (price: number, isStale = false) => ({ price, at, isStale });
const follow = (changes: Partial<FollowedTrade>, price: number | null, isStale = false) => {
  const seen = price === null ? null : live(price, isStale);
  const { steps, title } = followTrade(trade(changes), seen, NOW);
  const lines = steps.map(({ name, detail }) => [name, detail].filter(Boolean).join(" "));
  return { lines, title, states: steps.map(({ state }) => state) };
};

describe("a trade that is not filled", () => {
  test("waits for its entry, whose touch is not enough", () => {
    const { lines, title } = follow({}, 100);
    expect(lines).toEqual(["Waiting for entry", "In the market", "Outcome Not resolved yet"]);
    expect(title).toBeNull();
  });

  test.each([
    ["a limit order", { signalPrice: 102 }, 99],
    ["a stop order", { signalPrice: 98 }, 101],
    ["a SELL", { levels: sellLevels, signalPrice: 98 }, 101],
    ["an entry at the market", { signalPrice: 100 }, 103],
  ])("is entered provisionally once the price is beyond the entry: %s", (_, changes, price) => {
    const { lines, states } = follow(changes, price);
    expect(lines[0]).toBe("Entry reached provisional");
    expect(states).toEqual(["provisional", "provisional", "waiting"]);
  });

  test("or maybe is, where it ended without prices", () => {
    const { lines } = follow({ outcome: "EXPIRED", isFillUnknown: true }, null);
    expect(lines).toEqual(["Unknown", "Expired"]);
    expect(follow({ outcome: "EXPIRED" }, null).lines).toEqual(["Not filled", "Expired"]);
  });

  test("is not entered by a price that is not current", () => {
    expect(follow({ signalPrice: 102 }, 99, true).lines[0]).toBe("Waiting for entry");
  });

  test("has missed its entry, or is too late for it", () => {
    const missed = follow({ entryLeft: { price: 107, at } }, 99);
    expect(missed.lines.slice(0, 2)).toEqual(["Entry missed at 107.00000", "In the market"]);
    expect(missed.title).toBe("Entry missed");
    const late = follow({ validUntil: at }, 104);
    expect(late.lines.slice(0, 2)).toEqual(["Not entered provisional", "In the market"]);
  });
});

describe("a trade that is filled", () => {
  const filled = { price: 101, at };

  test("shows what it has made so far, from its fill", () => {
    const { lines, title } = follow({ filled }, 105);
    expect(lines).toEqual([
      "Filled at 101.00000",
      "In the market +0.80 R unrealized",
      "Outcome Not resolved yet",
    ]);
    expect(title).toBe("+0.80 R");
  });

  test("says that it was filled before the user asked", () => {
    const { lines } = follow({ filled, askedAt: "2026-11-20T12:01:00.000Z" }, null);
    expect(lines[0]).toBe("Filled before you asked at 101.00000");
    const inTime = follow({ filled, askedAt: "2026-11-20T12:00:59.000Z" }, null);
    expect(inTime.lines[0]).toBe("Filled at 101.00000");
  });

  test("counts as filled though the entry is missed for others", () => {
    const { lines } = follow({ filled, entryLeft: { price: 110, at } }, null);
    expect(lines.slice(0, 2)).toEqual(["Filled at 101.00000", "In the market"]);
  });

  test("says that its price is not current, and nothing of levels then", () => {
    expect(follow({ filled }, 96, true).lines[1]).toBe("In the market −1.00 R, price not current");
  });

  test("has its outcome, whatever the price is now", () => {
    const { lines, title, states } = follow({ filled, outcome: "LOSS", r: -1.02 }, 109);
    expect(lines).toEqual(["Filled at 101.00000", "Lost −1.02 R"]);
    expect(states).toEqual(["done", "done"]);
    expect(title).toBeNull();
    expect(follow({ outcome: "EXPIRED" }, 99).lines).toEqual(["Not filled", "Expired"]);
    expect(follow({ outcome: "WIN" }, 99).lines).toEqual(["Filled", "Won"]);
  });
});

test.each([
  [buyLevels, 100, null],
  [buyLevels, 96.1, null],
  [buyLevels, 96, "Near stop loss"],
  [buyLevels, 95, "Stop loss reached"],
  [buyLevels, 107.9, null],
  [buyLevels, 108, "Near take profit"],
  [buyLevels, 110, "Near take profit"],
  [buyLevels, 110.1, "Take profit reached"],
  [sellLevels, 104, "Near stop loss"],
  [sellLevels, 105.5, "Stop loss reached"],
  [sellLevels, 92, "Near take profit"],
  [sellLevels, 89, "Take profit reached"],
])("levels %j at %d: %s", (levels, price, name) => {
  expect(nearLevel(levels, price)?.name ?? null).toBe(name);
});

test("R is counted by the planned risk, for both sides", () => {
  expect(unrealizedR(buyLevels, { fill: 99, price: 104 })).toBe(1);
  expect(unrealizedR(sellLevels, { fill: 100, price: 105 })).toBe(-1);
  expect(unrealizedR({ ...buyLevels, stopLoss: 100 }, { fill: 100, price: 105 })).toBe(0);
});
