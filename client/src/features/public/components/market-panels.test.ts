import { expect, test } from "vitest";
import { formatQuote, linePoints } from "./market-panels.tsx";

test.each([
  [64_012.5, "64,012.50"],
  [153.4, "153.400"],
  [0.16234, "0.16234"],
])("a price of %d reads %s", (price, text) => {
  expect(formatQuote(price)).toBe(text);
});

test("a line fills its box from the lowest to the highest value", () => {
  expect(linePoints([1, 3, 2], { width: 10, height: 8 })).toBe("0.0,8.0 5.0,0.0 10.0,4.0");
});

test("a line of one value, or of equal ones, lies at the bottom", () => {
  expect(linePoints([5], { width: 10, height: 8 })).toBe("0.0,8.0");
  expect(linePoints([5, 5], { width: 10, height: 8 })).toBe("0.0,8.0 10.0,8.0");
});
