import { describe, expect, it } from "vitest";
import { edgeStatement, edgeVerdict, formatPoints } from "./edge-statement.ts";

const lift = (value: number, margin: number) => ({
  value,
  low: value - margin,
  high: value + margin,
});

describe("a statement about the edge", () => {
  it.each([
    {
      name: "an interval above 0",
      figures: { lift: lift(0.042, 0.037), effective_trades: 310 },
      verdict: "better",
      text: "Better than chance: an edge of +4.2 percentage points (95% interval +0.5 to +7.9).",
    },
    {
      name: "an interval around 0",
      figures: { lift: lift(0.012, 0.032), effective_trades: 310 },
      verdict: "not-shown",
      text: "Not shown to be better than chance: an edge of +1.2 percentage points (95% interval −2.0 to +4.4).",
    },
    {
      name: "an interval around 0, with a negative edge",
      figures: { lift: lift(-0.03, 0.05), effective_trades: 55 },
      verdict: "not-shown",
      text: "Not shown to be better than chance: an edge of −3.0 percentage points (95% interval −8.0 to +2.0).",
    },
    {
      name: "an interval that ends at 0",
      figures: { lift: { value: 0.05, low: 0, high: 0.1 }, effective_trades: 55 },
      verdict: "not-shown",
      text: "Not shown to be better than chance: an edge of +5.0 percentage points (95% interval 0.0 to +10.0).",
    },
    {
      name: "an interval below 0",
      figures: { lift: lift(-0.042, 0.037), effective_trades: 310 },
      verdict: "worse",
      text: "Worse than chance: an edge of −4.2 percentage points (95% interval −7.9 to −0.5).",
    },
    {
      name: "exactly enough independent trades",
      figures: { lift: lift(0.2, 0.1), effective_trades: 30 },
      verdict: "better",
      text: "Better than chance: an edge of +20.0 percentage points (95% interval +10.0 to +30.0).",
    },
    {
      name: "too few independent trades, however large the edge",
      figures: { lift: lift(0.4, 0.1), effective_trades: 29 },
      verdict: "too-few",
      text: "Not enough data yet: 29 of at least 30 independent trades.",
    },
    {
      name: "no edge that could be computed",
      figures: { lift: null, effective_trades: 3 },
      verdict: "too-few",
      text: "Not enough data yet: 3 of at least 30 independent trades.",
    },
    {
      name: "no trades at all",
      figures: { lift: null, effective_trades: 0 },
      verdict: "too-few",
      text: "Not enough data yet: 0 of at least 30 independent trades.",
    },
  ])("for $name", ({ figures, verdict, text }) => {
    expect(edgeVerdict(figures)).toBe(verdict);
    expect(edgeStatement(figures)).toBe(text);
  });
});

it("writes differences of rates in percentage points, with a true minus", () => {
  expect(formatPoints(0.0421)).toBe("+4.2");
  expect(formatPoints(-0.0421)).toBe("\u22124.2");
  expect(formatPoints(0)).toBe("0.0");
});
