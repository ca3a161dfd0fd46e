import { describe, expect, it } from "vitest";
import { planPages } from "./ccxt-market-data.ts";

describe("cutting a range of candles into requests", () => {
  it("covers it without overlap, and asks for no more than is wanted", () => {
    expect(planPages({ since: 1_000, count: 7, stepMs: 10, pageSize: 3 })).toEqual([
      { since: 1_000, count: 3 },
      { since: 1_030, count: 3 },
      { since: 1_060, count: 1 },
    ]);
  });

  it("is one request where one is enough", () => {
    expect(planPages({ since: 0, count: 300, stepMs: 10, pageSize: 300 })).toEqual([
      { since: 0, count: 300 },
    ]);
  });
});
