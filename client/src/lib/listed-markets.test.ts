import { expect, test } from "vitest";
import { OVERVIEW_COLUMNS } from "./listed-markets.ts";

test("the overview of the home page has three columns: crypto, and the other classes in their order", () => {
  expect(
    OVERVIEW_COLUMNS.map((groups) =>
      groups.map(({ title, symbols }) => `${title}: ${symbols.length}`),
    ),
  ).toEqual([["Crypto: 8"], ["Forex: 4", "Metals: 2"], ["Indices: 3", "Oil: 2", "Stocks: 2"]]);
});
