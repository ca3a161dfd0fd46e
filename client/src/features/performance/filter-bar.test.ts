import type { PerformanceQuery } from "@shared/contract/performance.ts";
import { expect, test } from "vitest";
import { performanceParams } from "../../domain/performance-query.ts";
import { choiceOf, filterOf, isFiltered, withChoice, withoutFilters } from "./filter-bar.tsx";

const everything: PerformanceQuery = { data: "live", period: "all" };
const read = (query: string) => filterOf(new URLSearchParams(query));

test("a bare address shows the whole live record, and is written as such", () => {
  expect(read("")).toEqual(everything);
  expect(performanceParams(everything).toString()).toBe("");
  expect(isFiltered(everything)).toBe(false);
});

test("filters survive in the address", () => {
  const filter: PerformanceQuery = {
    data: "replay",
    period: "30d",
    symbol: "BTC/USDT",
    timeframe: "4h",
    analyst: "openai",
    version: "openai/3",
    model: "vendor/large:2",
  };
  expect(filterOf(performanceParams(filter))).toEqual(filter);
  expect(isFiltered(filter)).toBe(true);
  expect(isFiltered(withoutFilters(filter))).toBe(false);
  expect(withoutFilters(filter).data).toBe("replay");
});

test("what an address says wrongly is left out, the rest holds", () => {
  expect(read("period=1d&timeframe=4h&data=x&version=rules/1")).toEqual({
    ...everything,
    timeframe: "4h",
  });
});

test("a market is all, a class or a symbol", () => {
  const market = ["symbol", "class"] as const;
  const bitcoin = withChoice({ ...everything, class: "forex" }, market, "symbol=BTC%2FUSDT");
  expect(bitcoin).toEqual({ ...everything, symbol: "BTC/USDT" });
  const metals = withChoice(bitcoin, market, "class=metal");
  expect(metals).toEqual({ ...everything, class: "metal" });
  expect(choiceOf(metals, market)).toBe("class=metal");
  expect(withChoice(metals, market, choiceOf(everything, market))).toEqual(everything);
});
