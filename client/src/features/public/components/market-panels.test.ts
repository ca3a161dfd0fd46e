import { expect, test } from "vitest";
import { linePoints } from "./market-panels.tsx";

test("a line fills its box from the lowest to the highest value", () => {
  expect(linePoints([1, 3, 2], { width: 10, height: 8 })).toBe("0.0,8.0 5.0,0.0 10.0,4.0");
});

test("a line of one value, or of equal ones, lies at the bottom", () => {
  expect(linePoints([5], { width: 10, height: 8 })).toBe("0.0,8.0");
  expect(linePoints([5, 5], { width: 10, height: 8 })).toBe("0.0,8.0 10.0,8.0");
});
