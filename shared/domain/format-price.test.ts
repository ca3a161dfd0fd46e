import { describe, expect, it } from "vitest";
import { formatDistance, formatNumber, formatPrice, formatUsd } from "./format-price.ts";

describe("prices in texts", () => {
  it.each([
    [113456.789, "113456.79"],
    [1.169807, "1.16981"],
    [150.1234567, "150.123"],
    [0.0000123456789, "0.0000123457"],
    [0.0000001, "0.0000001"],
    [100, "100"],
    [1200.5, "1200.5"],
    [0, "0"],
    [-0.5, "-0.5"],
  ])("%d reads %s", (value, text) => expect(formatPrice(value)).toBe(text));

  it("shortens differences further", () => {
    expect(formatDistance(0.000432544)).toBe("0.000433");
    expect(formatDistance(-512.345)).toBe("-512.35");
  });

  it("rounds dollars to cents, and small amounts to more decimals", () => {
    expect(formatUsd(1234.567)).toBe("1234.57 USD");
    expect(formatUsd(0.00512)).toBe("0.00512 USD");
  });

  it("drops trailing zeros of plain numbers", () => {
    expect(formatNumber(2, 2)).toBe("2");
    expect(formatNumber(1.456, 1)).toBe("1.5");
  });
});
