import { describe, expect, it, test } from "vitest";
import { formatPrice, plainPrice, priceDecimals } from "./price.ts";

test("prices carry five decimals and no grouping", () => {
  expect(formatPrice(107_357.1)).toBe("107357.10000");
  expect(formatPrice(0.123456789)).toBe("0.12346");
});

describe("the decimals of a price", () => {
  it.each([
    [107_357.1, 5],
    [1.16981, 5],
    [153.4, 5],
    [0.01, 5],
    [0.00999, 7],
    [9.1e-6, 10],
    [4.2e-7, 11],
    [4e-8, 12],
    [-9.1e-6, 10],
    [0, 5],
    [Number.MIN_VALUE, 100],
  ])("%d has %i", (price, decimals) => expect(priceDecimals(price)).toBe(decimals));

  it("distinguish the levels of a trade in a tiny price", () => {
    const levels = [9.1e-6, 9.02e-6, 9.3e-6].map(formatPrice);
    expect(levels).toEqual(["0.0000091000", "0.0000090200", "0.0000093000"]);
  });

  it.each([
    [9.1e-6, "0.0000091"],
    [4e-8, "0.00000004"],
    [113_900, "113900"],
    [1.169806, "1.16981"],
  ])("of %d are written as %s in a text", (price, text) => expect(plainPrice(price)).toBe(text));
});
