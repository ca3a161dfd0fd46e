import type { Reliability } from "@shared/contract/performance.ts";
import { describe, expect, it } from "vitest";
import { recordFacts } from "./analyst-record.tsx";

const noRates = { win_rate: null, no_edge_rate: null, lift: null };

/** Trades of one range of confidence. */
const bucket = (from: number, trades: { decided: number; wins: number; stated: number }) => ({
  from,
  to: from + 10,
  won: trades.wins / trades.decided,
  ...trades,
  ...noRates,
});

function record(buckets: Reliability["buckets"], lift = { value: -0.01, low: -0.06, high: 0.04 }) {
  const decided = buckets.reduce((sum, each) => sum + each.decided, 0);
  return {
    confidence: { decided, buckets },
    lift,
    edge_bounds: lift,
    break_even_edge: 0.01,
    effective_trades: Math.floor(decided / 2),
  };
}

const NO_EDGE =
  "Not shown to be better than chance after costs: an edge of −1.0 percentage points (−6.0 to +4.0 however often one looks; break-even at +1.0).";
const stated = (confidence: number) => ({ confidence, isCalibrated: false });

const sixties = bucket(60, { decided: 214, wins: 69, stated: 0.62 });
const seventies = bucket(70, { decided: 20, wins: 9, stated: 0.75 });
const nineties = bucket(90, { decided: 40, wins: 10, stated: 0.95 });

describe("the record beside a stated confidence", () => {
  it.each([
    { confidence: 60, trades: "Trades at 60–70%, on average", text: "stated 62%, won 32% of 214" },
    {
      confidence: 69.9,
      trades: "Trades at 60–70%, on average",
      text: "stated 62%, won 32% of 214",
    },
    { confidence: 90, trades: "Trades at 90–100%, on average", text: "stated 95%, won 25% of 40" },
    { confidence: 100, trades: "Trades at 90–100%, on average", text: "stated 95%, won 25% of 40" },
  ])("is that of the trades at a similar confidence as $confidence", (expected) => {
    const { confidence, ...fact } = expected;
    const facts = recordFacts(record([sixties, seventies, nineties]), stated(confidence));
    expect(facts).toEqual([fact, { trades: "All trades", text: NO_EDGE }]);
  });

  it.each([70, 55])("is that of all trades where too few were at %i%%", (confidence) => {
    expect(recordFacts(record([sixties, seventies]), stated(confidence))).toEqual([
      { trades: "All trades, on average", text: "stated 63%, won 33% of 234" },
      { trades: "All trades", text: NO_EDGE },
    ]);
  });

  it("gives no rate of fewer than 30 trades", () => {
    const few = bucket(60, { decided: 29, wins: 9, stated: 0.62 });
    expect(recordFacts(record([few]), stated(62))).toEqual([
      { trades: "Won or lost so far", text: "won 9 of 29" },
      {
        trades: "All trades",
        text: "Not enough data yet: 14 of at least 30 independent trades.",
      },
    ]);
  });

  it("is left out where the confidence is calibrated; the edge is stated nevertheless", () => {
    expect(recordFacts(record([sixties]), { confidence: 62, isCalibrated: true })).toEqual([
      { trades: "All trades", text: NO_EDGE },
    ]);
  });

  it("says so where the trades did worse than chance", () => {
    const worse = record([sixties], { value: -0.05, low: -0.09, high: -0.01 });
    expect(recordFacts(worse, stated(62)).at(-1)?.text).toBe(
      "Worse than chance: an edge of −5.0 percentage points (−9.0 to −1.0 however often one looks; break-even at +1.0).",
    );
  });

  it.each([true, false])("is empty while no trade was won or lost", (isCalibrated) => {
    expect(recordFacts(record([]), { confidence: 62, isCalibrated })).toEqual([]);
  });
});
