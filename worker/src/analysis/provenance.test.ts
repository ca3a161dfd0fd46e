import { describe, expect, it } from "vitest";
import { recordedCandles } from "../testing/fakes.ts";
import { hashCandles, sha256 } from "./provenance.ts";

describe("hash of candles", () => {
  it("is the SHA-256 of their JSON rows", () => {
    const candle = {
      time: 1_700_000_000_000,
      open: 1.5,
      high: 2,
      low: 1e-7,
      close: 1.75,
      volume: 0,
    };
    expect(hashCandles([candle])).toBe(sha256("[[1700000000000,1.5,2,1e-7,1.75,0]]"));
  });

  it("does not depend on how a candle's fields are ordered", () => {
    const [candle] = recordedCandles("BTC-USDT.1h");
    if (!candle) throw new Error("no candle recorded");
    const { time, ...prices } = candle;
    expect(hashCandles([{ ...prices, time }])).toBe(hashCandles([candle]));
  });

  it("changes with any number and with the order", () => {
    const candles = recordedCandles("BTC-USDT.1h").slice(0, 5);
    const changed = candles.map((candle, index) =>
      index === 3 ? { ...candle, volume: candle.volume + 0.001 } : candle,
    );
    expect(hashCandles(changed)).not.toBe(hashCandles(candles));
    expect(hashCandles(candles.toReversed())).not.toBe(hashCandles(candles));
  });

  it("uses the standard's SHA-256", () => {
    expect(sha256("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });
});
