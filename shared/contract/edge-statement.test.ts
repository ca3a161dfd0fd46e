import { describe, expect, it } from "vitest";
import { edgeStatement, edgeVerdict, formatPoints, isExploration } from "./edge-statement.ts";

const lift = (value: number, margin: number) => ({
  value,
  low: value - margin,
  high: value + margin,
});

/** With bounds so far around the edge, and costs that need an edge of one percentage point. */
const figures = (value: number, margin: number, effective = 310) => ({
  lift: lift(value, margin / 2),
  edge_bounds: { low: value - margin, high: value + margin },
  break_even_edge: 0.01,
  effective_trades: effective,
});

describe("a statement about the edge", () => {
  it.each([
    {
      name: "bounds above what the costs need",
      record: figures(0.052, 0.037),
      verdict: "better",
      text: "Better than chance after costs: an edge of +5.2 percentage points (+1.5 to +8.9 however often one looks; break-even at +1.0).",
    },
    {
      name: "bounds above 0, but not above what the costs need",
      record: figures(0.042, 0.037),
      verdict: "not-shown",
      text: "Not shown to be better than chance after costs: an edge of +4.2 percentage points (+0.5 to +7.9 however often one looks; break-even at +1.0).",
    },
    {
      name: "bounds that end at what the costs need",
      record: { ...figures(0.06, 0.05), edge_bounds: { low: 0.01, high: 0.11 } },
      verdict: "not-shown",
      text: "Not shown to be better than chance after costs: an edge of +6.0 percentage points (+1.0 to +11.0 however often one looks; break-even at +1.0).",
    },
    {
      name: "bounds below what the costs need",
      record: figures(0.002, 0.007),
      verdict: "too-small",
      text: "Too small an edge to pay the costs: an edge of +0.2 percentage points (−0.5 to +0.9 however often one looks; break-even at +1.0).",
    },
    {
      name: "bounds below 0",
      record: figures(-0.042, 0.037),
      verdict: "worse",
      text: "Worse than chance: an edge of −4.2 percentage points (−7.9 to −0.5 however often one looks; break-even at +1.0).",
    },
    {
      name: "costs that were gained by better prices, which need no edge",
      record: { ...figures(0.03, 0.02), break_even_edge: -0.02 },
      verdict: "better",
      text: "Better than chance after costs: an edge of +3.0 percentage points (+1.0 to +5.0 however often one looks; break-even at 0.0).",
    },
    {
      name: "too few independent trades, however large the edge",
      record: figures(0.4, 0.1, 29),
      verdict: "too-few",
      text: "Not enough data yet: 29 of at least 30 independent trades.",
    },
    {
      name: "trades in too few periods",
      record: { ...figures(0.4, 0.1), edge_bounds: null },
      verdict: "too-few",
      text: "Not enough data yet: the trades lie in too few separate periods.",
    },
    {
      name: "no trades at all",
      record: { lift: null, edge_bounds: null, break_even_edge: null, effective_trades: 0 },
      verdict: "too-few",
      text: "Not enough data yet: 0 of at least 30 independent trades.",
    },
  ])("for $name", ({ record, verdict, text }) => {
    expect(edgeVerdict(record)).toBe(verdict);
    expect(edgeStatement(record)).toBe(text);
  });

  it("claims nothing of a part of the record", () => {
    expect(edgeStatement(figures(0.052, 0.037), true)).toBe(
      "Exploration, not a claim: an edge of +5.2 percentage points (+1.5 to +8.9 however often one looks; break-even at +1.0).",
    );
  });
});

it("calls every part of the record an exploration, but not that of one analyst version and model", () => {
  const all = { period: "all" } as const;
  const author = { analyst: "rules", version: "rules/1", model: "rules-v1" } as const;
  for (const filter of [all, { ...all, ...author }]) expect(isExploration(filter)).toBe(false);
  const parts = [
    { ...all, symbol: "BTC/USDT" },
    { ...all, class: "crypto" },
    { ...all, timeframe: "1h" },
    { period: "30d" },
    { ...all, model: "rules-v1" },
    { ...all, analyst: "rules", version: "rules/1" },
    { ...all, ...author, timeframe: "1h" },
  ] as const;
  for (const filter of parts) expect(isExploration(filter)).toBe(true);
});

it("writes differences of rates in percentage points, with a true minus", () => {
  expect(formatPoints(0.0421)).toBe("+4.2");
  expect(formatPoints(-0.0421)).toBe("\u22124.2");
  expect(formatPoints(0)).toBe("0.0");
});
