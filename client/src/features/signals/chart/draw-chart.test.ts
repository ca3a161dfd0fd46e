import { resolvedTrade } from "@shared/testing/signal-factory.ts";
import { expect, test } from "vitest";
import { chartMarks } from "./draw-chart.ts";

const at = new Date("2026-11-20T12:00:00Z");
const created_at = at.toISOString();
const levels = { entry: 100, stopLoss: 98, takeProfit: 104 };
const filled = { price: 100, at: "2026-11-20T13:00:00.000Z" };
const textsOf = (marked: Parameters<typeof chartMarks>[0]) =>
  chartMarks(marked).map(({ text, time }) => `${text} ${new Date(time).toISOString()}`);

test("an open trade is marked at its fill", () => {
  const open = { created_at, levels, judgement: null };
  expect(textsOf(open)).toEqual([`Signal ${created_at}`]);
  expect(textsOf({ ...open, filled })).toEqual([`Signal ${created_at}`, `Fill ${filled.at}`]);
});

test("the fill of the outcome counts", () => {
  const { market } = resolvedTrade({ at, outcome: "WIN", resolvedAt: at });
  const judgement = market?.resolution ?? null;
  expect(textsOf({ created_at, levels, judgement, filled })).toEqual([
    `Signal ${created_at}`,
    `Fill ${created_at}`,
    `Exit ${created_at}`,
  ]);
});
