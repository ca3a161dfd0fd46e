import { timeframeSchema } from "@shared/contract/market-data.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { describe, expect, it } from "vitest";
import { adviceOf, candlesFromCloses, recordedCandles, series } from "../testing/fakes.ts";
import type { Advice } from "./analyst.ts";
import { groundingWarnings } from "./grounding.ts";
import { buildMarketBrief, type MarketBrief } from "./market-brief.ts";
import { rulesAnalyst } from "./rules/rules-analyst.ts";

/** Ten candles between 113,050 and 113,650, the last of which closed at 113,456.7; indicators as given. */
const calm = buildMarketBrief({
  symbol: "BTC/USDT",
  timeframe: "1h",
  limit: 10,
  candles: candlesFromCloses(
    [113_100, 113_250, 113_180, 113_400, 113_520, 113_600, 113_450, 113_380, 113_500, 113_456.7],
    { reach: 50, volume: 1_234.5 },
  ),
});
const brief: MarketBrief = {
  ...calm,
  indicators: {
    ...calm.indicators,
    rsi14: 55.34,
    ema20: 113_210.42,
    ema50: 112_890.1,
    ema200: 110_045.9,
    macd: { macd: 120.5, signal: 98.1, histogram: 22.4, previousHistogram: 17.9 },
    atr14: 412.36,
    atrRatio: 1.31,
    atrPercentile: 82.4,
    bollinger20: { lower: 112_400.5, middle: 113_150.2, upper: 113_899.9 },
    volume: { last: 1_234.5, average20: 1_028.75, ratio: 1.2 },
    swings: { highs: [114_020.5, 113_980], lows: [112_310.2, 112_950.8] },
  },
};
const buy = adviceOf({
  final_signal: "BUY",
  confidence: 62,
  entry: 113_456.7,
  stop_loss: 112_838.16,
  take_profit: 114_693.78,
});

const warningsFor = (rationale: string, advice: Advice = buy) =>
  groundingWarnings(brief, { advice: { ...advice, rationale, key_evidence: [] } });
const cites = (number: string) => `The rationale cites ${number}, which is not in the market data.`;

describe("levels that a trader drew on a chart image", () => {
  const rationale = "Your line at 98,765.4 is 12.95% below; the target you marked is 121,234.";
  const warningsWith = (text: string, hasChart: boolean) =>
    groundingWarnings(
      brief,
      { advice: { ...buy, rationale: text, key_evidence: [] } },
      { costs: [], evidence: [], hasChart },
    );

  it("are not reported, nor what follows from them, if the analyst read the image", () => {
    expect(warningsWith(rationale, true)).toEqual([]);
    expect(warningsWith(rationale, false)).toEqual([
      cites("98,765.4"),
      cites("12.95%"),
      cites("121,234"),
    ]);
  });

  it("do not excuse other readings", () => {
    expect(warningsWith("RSI is 71.2 and the line is at 98,765.4.", true)).toEqual([cites("71.2")]);
    expect(warningsWith("The line is at 17.35, far below.", true)).toEqual([cites("17.35")]);
  });
});

describe("numbers that can be found", () => {
  it.each([
    ["prices", "Price at 113,456.70 sits above EMA 20 (113,210.42) and the 50 EMA at 112,890.1."],
    ["prices without separators", "BTC trades at 113456.7, over the 200-period EMA of 110045.9."],
    ["rounded prices", "Around $113,457, well above 113,210 and $110k."],
    ["prices cut off instead of rounded", "Last close 113,456; EMA 20 at 113210.4."],
    ["thousands by k", "Holding $113k with resistance near 114k."],
    ["apostrophes in prices", "Close at 113'456.70."],
    ["ranges of prices", "It moved within 113,050–113,650 and holds 112,950.8-113,210.4."],
    ["indicators", "RSI(14) at 55.3, MACD histogram 22.4 after 17.9, ATR(14) 412.36."],
    ["an indicator named before its value", "RSI 14 reads 55, EMA20 is 113,210."],
    ["thresholds", "RSI is above 50 but not yet overbought (70), far from 30."],
    ["rounded readings", "RSI near 55 and an ATR of about 412."],
    ["percents", "Price is 0.2% above EMA 20 and 3.1% above EMA 200."],
    ["ATR in percent", "ATR is 0.36% of the price, at the 82nd percentile (82%)."],
    ["times", "Volume is 1.2x its average and ATR 1.31 times its usual size."],
    ["the advice's own levels", "Entry 113,456.70, stop 112,838.16, target 114,693.78."],
    ["reward to risk", "That is a reward-to-risk of 2.0, or 1:2 (2R), stop 1.5 ATR away."],
    ["the distance of the stop", "The stop risks 618.54 points (0.55%) for 1,237.08 (1.09%)."],
    ["confidence", "Confidence is 62%, a 60% chance at best."],
    ["dates and times", "On 2025-10-23 at 12:30 UTC, Oct 23rd, 23 October 2025, at 09:00."],
    ["durations and counts", "Over the last 12 candles, 3 higher lows, hold 6 to 12 hours or 4h."],
    ["periods of indicators", "EMA 20/50/200 are stacked; MACD (12, 26, 9), Bollinger(20, 2)."],
    ["a difference of two numbers that it cites", "From 112,950.8 to 113,980 is 1,029.2 points."],
    ["round levels in reach", "Bulls eye the 115,000 level after defending 112,000."],
    ["Fibonacci", "It bounced at the 61.8% retracement (0.618)."],
    ["the trader's own stake", "Risk no more than 1-2% of your account, 3x leverage at most."],
    ["names with digits in them", "US30 and H4 agree; a 1st test."],
    ["volume", "1,234.5 BTC changed hands, 1.2K against 1,029."],
    ["no numbers", "The trend is up."],
  ])("are not called out: %s", (_, text) => expect(warningsFor(text)).toEqual([]));

  it("include the moves between the candles", () => {
    expect(
      warningsFor("It gained 0.32% over the whole window and lost 0.04% in the last one."),
    ).toEqual([]);
  });

  it("do not include a reward to risk without a trade", () => {
    expect(warningsFor("No setup pays 1:1.5 here; R:R 0.8 at best.", adviceOf({}))).toEqual([]);
  });
});

describe("numbers that are nowhere", () => {
  it.each([
    ["RSI", "RSI at 71.2 shows strength.", "71.2"],
    ["an RSI that is another's value", "RSI(14) is 82.4.", "82.4"],
    ["EMA", "EMA 20 at 113,380 is support.", "113,380"],
    ["a price that never was", "It broke out of 118,250.", "118,250"],
    ["a price in thousands", "Next stop $121k.", "$121k"],
    ["MACD", "A MACD histogram of 35.8.", "35.8"],
    ["a sign", "The MACD histogram is -22.4.", "-22.4"],
    ["percents", "Up 7.4% since yesterday.", "7.4%"],
    ["volume", "Volume is 3.4x its average.", "3.4"],
    ["ATR", "ATR(14) 512.3 is high.", "512.3"],
    ["reward to risk", "A reward to risk of 3.5.", "3.5"],
    ["a ratio", "It pays 1:4.", "1:4"],
    ["one end of a range", "Between 108,200–113,500.", "108,200"],
    ["a difference that does not follow", "From 112,950.8 to 113,980 is 2,400 points.", "2,400"],
  ])("are called out: %s", (_, text, number) => expect(warningsFor(text)).toEqual([cites(number)]));

  it("are called out in the evidence too, each once and three at most", () => {
    const key_evidence = ["RSI 71.2", "RSI at 71.2", "EMA 20 at 99,123", "9.87%", "1.234567"];
    const warnings = groundingWarnings(brief, { advice: { ...buy, rationale: "", key_evidence } });
    expect(warnings).toEqual(
      ["71.2", "99,123", "9.87%"].map(
        (number) => `The key evidence cites ${number}, which is not in the market data.`,
      ),
    );
  });

  it("are the same each time", () => {
    const text = "RSI 71.2, 118,250, 7.4%";
    expect(warningsFor(text)).toEqual(warningsFor(text));
  });
});

describe("a market of small prices", () => {
  const euro = buildMarketBrief({
    symbol: "EUR/USD",
    timeframe: "1h",
    limit: 50,
    candles: recordedCandles("EUR-USD.1h").slice(0, 300),
  });
  const warnings = (rationale: string) =>
    groundingWarnings(euro, { advice: adviceOf({ rationale, key_evidence: [] }) });

  it("is compared by its own decimals", () => {
    const close = euro.price.toFixed(5);
    expect(warnings(`Price ${close}.`)).toEqual([]);
    expect(warnings(`Price ${(euro.price * 1.0237).toFixed(5)}.`)).toHaveLength(1);
  });

  it("knows pips", () => {
    const { atr14 } = euro.indicators;
    expect(warnings(`ATR is ${((atr14 ?? 0) / 0.0001).toFixed(1)} pips.`)).toEqual([]);
    expect(warnings("A move of 912 pips.")).toHaveLength(1);
  });
});

describe("the rule-based analyst", () => {
  const recordings = ["BTC-USDT.1h", "BTC-USDT.1m", "EUR-USD.1h", "XAU-USD.1h", "XRP-USDT.5m"];

  it.each(recordings)("never cites a number that cannot be found: %s", async (name) => {
    const [market = "", length] = name.split(".");
    const timeframe = timeframeSchema.parse(length);
    const candles = recordedCandles(name);
    const ends = series(Math.floor((candles.length - 60) / 11), (index) => 60 + index * 11);
    for (const end of ends.slice(0, 90)) {
      const window = candles.slice(Math.max(0, end - 300), end);
      const symbol = market.replace("-", "/");
      const made = buildMarketBrief({ symbol, timeframe, limit: 50, candles: window });
      const abort = new AbortController().signal;
      const reply = await rulesAnalyst.advise({
        brief: made,
        costs: DEFAULT_TRADING_COSTS.crypto,
        corrections: [],
        abort,
      });
      expect(groundingWarnings(made, reply)).toEqual([]);
    }
  });
});
