import { expect, test } from "vitest";
import { makeCandles } from "../../../testing/factories.ts";
import { indicatorLines } from "./indicator-lines.ts";

const { candles } = makeCandles();

test("averages follow the closes, and start when there are enough of them", () => {
  const [fast, slow] = indicatorLines(candles, { ema: true, atrBands: false });
  expect([fast?.name, slow?.name]).toEqual(["EMA 20", "EMA 50"]);
  expect(fast?.values.findIndex((value) => value !== null)).toBe(19);
  expect(slow?.values.findIndex((value) => value !== null)).toBe(49);
  expect(fast?.values.at(-1)).toBeGreaterThan(slow?.values.at(-1) ?? 0);
  expect(fast?.values.at(-1)).toBeLessThan(candles.at(-1)?.close ?? 0);
});

test("the bands are two average true ranges from the average of 20 closes", () => {
  const [average] = indicatorLines(candles, { ema: true, atrBands: false });
  const [upper, lower] = indicatorLines(candles, { ema: false, atrBands: true });
  const middle = average?.values.at(-1) ?? 0;
  // Each candle reaches over 2, from 0.5 below its open to 0.5 above its close.
  expect((upper?.values.at(-1) ?? 0) - middle).toBeCloseTo(4, 6);
  expect(middle - (lower?.values.at(-1) ?? 0)).toBeCloseTo(4, 6);
  expect(lower?.values).toHaveLength(candles.length);
});
