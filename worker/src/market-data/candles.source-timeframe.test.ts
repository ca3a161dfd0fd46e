import { describe, expect, it } from "vitest";
import { sourceTimeframe } from "./candles.ts";

describe("the timeframe to fetch", () => {
  it("is the one asked for where the provider has it", () => {
    expect(sourceTimeframe("4h", ["1h", "4h", "1d"])).toBe("4h");
  });

  it("is the longest that the one asked for can be built from", () => {
    expect(sourceTimeframe("4h", ["1m", "1h", "6h", "1d"])).toBe("1h");
    expect(sourceTimeframe("30m", ["1m", "5m", "15m", "1h"])).toBe("15m");
  });

  it("does not exist where there are only longer ones", () => {
    expect(sourceTimeframe("5m", ["15m", "1h"])).toBeUndefined();
  });
});
