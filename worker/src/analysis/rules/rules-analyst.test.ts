import { type Candle, type Timeframe, timeframeSchema } from "@shared/contract/market-data.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { describe, expect, it } from "vitest";
import { candlesFromCloses, recordedCandles, series } from "../../testing/fakes.ts";
import { type Advice, adviceSchema } from "../analyst.ts";
import { buildMarketBrief, type MarketBrief, roundToTick } from "../market-brief.ts";
import { validateAdvice } from "../validate-advice.ts";
import { rulesAnalyst } from "./rules-analyst.ts";

const RECORDINGS = [
  "BTC-USDT.1h",
  "BTC-USDT.1m",
  "BTC-USDT.1d",
  "EUR-USD.1h",
  "XAU-USD.1h",
  "GBP-USD.1d",
  "XRP-USDT.5m",
];

const advise = async (brief: MarketBrief): Promise<Advice> => {
  const request = {
    brief,
    costs: DEFAULT_TRADING_COSTS.crypto,
    corrections: [],
    abort: new AbortController().signal,
  };
  return (await rulesAnalyst.advise(request)).advice;
};

const briefOf = (candles: Candle[], timeframe: Timeframe = "1h", symbol = "BTC/USDT") =>
  buildMarketBrief({ symbol, timeframe, limit: 50, candles });

/** Briefs at every 13th candle of the recordings, each of the 300 candles before it. */
const windows = RECORDINGS.flatMap((name) => {
  const candles = recordedCandles(name);
  const [market = "", length] = name.split(".");
  const timeframe = timeframeSchema.parse(length);
  const symbol = market.replace("-", "/");
  const ends = series(Math.floor(candles.length / 13), (index) => (index + 1) * 13);
  return ends
    .filter((end) => end >= 60)
    .map((end) => briefOf(candles.slice(Math.max(0, end - 300), end), timeframe, symbol));
});
const judged = await Promise.all(
  windows.map(async (brief) => ({ brief, advice: await advise(brief) })),
);
const trades = judged.filter(({ advice }) => advice.final_signal !== "WAIT");

describe("the rule-based analyst on recorded candles", () => {
  it("always gives advice that is accepted", () => {
    expect(judged.length).toBeGreaterThan(500);
    for (const { brief, advice } of judged) {
      const { price, scale, indicators } = brief;
      expect(adviceSchema.parse(advice)).toEqual(advice);
      expect(validateAdvice(advice, { price, scale, atr: indicators.atr14 ?? 0 })).toEqual({
        accepted: true,
        advice,
      });
    }
  });

  it("buys, sells and waits, each in good measure", () => {
    const share = (signal: Advice["final_signal"]) =>
      judged.filter(({ advice }) => advice.final_signal === signal).length / judged.length;
    expect(share("WAIT")).toBeGreaterThan(0.35);
    expect(share("WAIT")).toBeLessThan(0.65);
    expect(share("BUY")).toBeGreaterThan(0.15);
    expect(share("SELL")).toBeGreaterThan(0.15);
  });

  it("enters at the last close, risks 1 to 3 ATR and aims for at least 1.5 times the risk", () => {
    for (const { brief, advice } of trades) {
      const { entry, stop_loss, take_profit } = advice;
      const risk = Math.abs((entry ?? 0) - (stop_loss ?? 0));
      const atr = brief.indicators.atr14 ?? 0;
      expect(entry).toBe(roundToTick(brief.price, brief.scale));
      expect(risk / atr).toBeGreaterThan(0.99);
      expect(risk / atr).toBeLessThan(3.01);
      expect(Math.abs((take_profit ?? 0) - (entry ?? 0)) / risk).toBeGreaterThan(1.49);
    }
  });

  it("is modest: 54 to 80 for a trade, 30 to 60 for waiting", () => {
    for (const { advice } of judged) {
      const [lowest, highest] = advice.final_signal === "WAIT" ? [30, 60] : [54, 80];
      expect(advice.confidence).toBeGreaterThanOrEqual(lowest);
      expect(advice.confidence).toBeLessThanOrEqual(highest);
    }
  });

  it("never writes a number with more digits than a reader needs", () => {
    for (const { advice } of judged) {
      const none = { entry: 0, stop_loss: 0, take_profit: 0, hold_candles: 0 };
      expect(JSON.stringify({ ...advice, ...none })).not.toMatch(
        /\d\.\d{13,}|\de-\d|NaN|Infinity|null/,
      );
    }
  });

  it("says the same of the same market", async () => {
    for (const { brief, advice } of judged.slice(0, 50)) {
      expect(await advise(structuredClone(brief))).toEqual(advice);
    }
  });
});

describe("the rule-based analyst", () => {
  const rise = series(300, (index) => 100 + index * 0.2 + 3 * Math.sin(index / 5));

  it("buys a steady rise and sells its mirror image", async () => {
    const buy = await advise(briefOf(candlesFromCloses(rise)));
    const sell = await advise(briefOf(candlesFromCloses(rise.map((close) => 400 - close))));
    expect(buy.final_signal).toBe("BUY");
    expect(sell.final_signal).toBe("SELL");
    expect(sell.confidence).toBe(buy.confidence);
  });

  it("waits in a market that stands still", async () => {
    const flat = await advise(
      briefOf(
        candlesFromCloses(
          series(300, () => 100),
          { reach: 0 },
        ),
      ),
    );
    expect(flat).toMatchObject({
      final_signal: "WAIT",
      entry: null,
      suggested_hold: "No position",
    });
  });

  it("says why it waits in plain words", async () => {
    const texts = judged
      .filter(({ advice }) => advice.final_signal === "WAIT")
      .map(({ advice }) => advice.rationale);
    for (const text of texts) {
      expect(text).toMatch(
        /^No trade: (the readings agree, but the market hardly moves\.|the readings of the market do not agree enough\. Of \d, \d point up and \d down\.)$/,
      );
    }
  });

  it("gives reasons, levels to watch and a time to hold", async () => {
    const advice = await advise(briefOf(candlesFromCloses(rise)));
    expect(advice.rationale).toMatch(
      /^\d of \d readings of the market point up, and they carry most of the weight\. Enter at the last close [\d.]+, accept the loss at [\d.]+ and take the profit at [\d.]+: the profit would be [\d.]+ times the loss\.$/,
    );
    expect(advice.key_evidence).toContainEqual(expect.stringMatching(/^For buying: RSI\(14\) is /));
    expect(advice.market_condition).toMatch(/^Uptrend with \w+ volatility/);
    expect(advice.what_to_watch_for.length).toBeGreaterThan(1);
    expect(advice.suggested_hold).toMatch(/^\d+ candles \(about \d+ (hours|days)\)$/);
    expect(advice.hold_candles).toBe(Number.parseInt(advice.suggested_hold, 10));
  });

  it("names its rules, and keeps what it read and how it voted", async () => {
    const brief = briefOf(candlesFromCloses(rise));
    const abort = new AbortController().signal;
    const reply = await rulesAnalyst.advise({
      brief,
      costs: DEFAULT_TRADING_COSTS.crypto,
      corrections: [],
      abort,
    });
    expect(rulesAnalyst.name).toBe("rules");
    expect(rulesAnalyst.version).toBe("rules/5");
    expect(reply.model).toBe("rules-v5");
    expect(JSON.parse(reply.prompt)).toMatchObject({ symbol: "BTC/USDT", price: brief.price });
    expect(JSON.parse(reply.rawReply)).toMatchObject({ advice: reply.advice });
  });
});
