import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { analysisSchema } from "@shared/contract/signal.ts";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { CandleSeries } from "../market-data/market-data.ts";
import { ProviderError } from "../market-data/market-data.ts";
import {
  adviceOf,
  liveSeries,
  memoryMarketData,
  recordedCandles,
  scriptedAnalyst,
} from "../testing/fakes.ts";
import { generateSignal, type SignalOptions } from "./analyse-market.ts";
import type { Advice, Analyst } from "./analyst.ts";
import type { ChartReading } from "./check-chart.ts";
import { buildMarketBrief } from "./market-brief.ts";
import { hashCandles, sha256, signalProvenanceSchema } from "./provenance.ts";
import { rulesAnalyst } from "./rules/rules-analyst.ts";

const candles = recordedCandles("BTC-USDT.1h").slice(0, 600);
const request = {
  symbol: "BTC/USDT",
  timeframe: "1h",
  limit: 50,
  amount: 1_000,
  riskPercent: 1,
  leverage: 10,
} as const;
const fetched = candles.slice(-300);
const { price, indicators, lastCandleAt } = buildMarketBrief({ ...request, candles: fetched });
const atr = indicators.atr14 ?? Number.NaN;

const soundBuy = adviceOf({
  final_signal: "BUY",
  entry: price,
  stop_loss: price - 2 * atr,
  take_profit: price + 4 * atr,
});
const NO_READING = { symbol: null, lastPrice: null, timeframe: null, lines: [], patterns: [] };
const toCents = (value: number) => Math.round(value * 100) / 100;
const upsideDown: Advice = { ...soundBuy, stop_loss: price + 2 * atr };

function setUp(options: {
  script?: (Advice | Error)[];
  charts?: (ChartReading | null)[];
  series?: CandleSeries;
  analyst?: Analyst;
  overrides?: Partial<SignalOptions>;
}) {
  const { script = [soundBuy], series = liveSeries(candles), overrides } = options;
  const scripted = scriptedAnalyst(script, options.charts);
  const marketData = memoryMarketData({ [request.symbol]: series });
  const signal = () =>
    generateSignal({
      request,
      marketData,
      analyst: options.analyst ?? scripted,
      now: () => lastCandleAt + 60_000,
      costs: DEFAULT_TRADING_COSTS.crypto,
      abort: new AbortController().signal,
      ...overrides,
    });
  return { signal, marketData, analyst: scripted };
}

afterEach(() => {
  vi.useRealTimers();
});

describe("a signal from sound advice", () => {
  it("carries the analyst's levels on the market's tick, with the values of the contract", async () => {
    const { analysis } = await setUp({}).signal();
    expect(analysis).toMatchObject({
      final_signal: "BUY",
      confidence: 66,
      entry: soundBuy.entry,
      stop_loss: toCents(price - 2 * atr),
      take_profit: toCents(price + 4 * atr),
      warnings: [],
      suggested_hold: soundBuy.suggested_hold,
      estimated_dollar_risk: 10,
    });
    expect(analysis.suggested_units).toBeCloseTo(10 / (price - toCents(price - 2 * atr)), 12);
    expect(analysis.required_margin).toBeCloseTo((analysis.suggested_units * price) / 10, 9);
    expect(analysisSchema.parse(analysis)).toEqual(analysis);
  });

  it("names where candles and advice came from", async () => {
    const { analysis } = await setUp({}).signal();
    expect(analysis.source).toEqual({
      data: "live",
      provider: "memory",
      analyst: "openai",
      model: "scripted-1",
      analyst_version: "openai/scripted",
      last_candle_at: new Date(lastCandleAt).toISOString(),
      price,
    });
  });

  it("shows the analyst as many candles as were asked for, and computes from 300", async () => {
    const { signal, marketData, analyst } = setUp({});
    const { candles: used } = await signal();
    expect(marketData.asked).toMatchObject([{ symbol: "BTC/USDT", timeframe: "1h", limit: 300 }]);
    expect(analyst.asked[0]?.brief.candles).toEqual(candles.slice(-50));
    expect(used).toEqual(fetched);
  });

  it("fetches as many candles as were asked for where that is more", async () => {
    const overrides = { request: { ...request, limit: 450 } };
    const { signal, marketData } = setUp({ script: [adviceOf({})], overrides });
    await signal();
    expect(marketData.asked[0]?.limit).toBe(450);
  });

  it("is made from what was read off the chart image, which the analyst does not get", async () => {
    const chartImage = "data:image/png;base64,AAAA";
    const chart: ChartReading = {
      ...{ symbol: "BTCUSDT", lastPrice: price, timeframe: "1h" },
      ...{ lines: [price - atr], patterns: ["double top"] },
    };
    const read = { ...chart, lines: [price - atr, 1] };
    const text = `Horizontal lines that the trader drew: ${(price - atr).toFixed(2)}\nPatterns: double top`;
    const { signal, analyst } = setUp({ charts: [read], overrides: { chartImage } });
    const { analysis, provenance } = await signal();
    expect(analyst.images).toEqual([chartImage]);
    expect(analyst.asked.map((asked) => asked.chart)).toEqual([chart]);
    expect(JSON.stringify(analyst.asked)).not.toContain(chartImage);
    expect(analysis.raw_ai.chart_reading).toEqual({
      ...{ symbol: "BTCUSDT", last_price: price, timeframe: "1h" },
      ...{ lines: [price - atr], patterns: ["double top"] },
    });
    expect(provenance).toMatchObject({
      chartImageSha256: sha256(chartImage),
      chart: { prompt: "an image", rawReply: "what it shows", isRead: true, tries: 1, text },
    });
  });

  it("may be a WAIT, which has neither levels nor size", async () => {
    const { analysis } = await setUp({ script: [adviceOf({ confidence: 40, entry: 5 })] }).signal();
    expect(analysis).toMatchObject({
      final_signal: "WAIT",
      confidence: 40,
      entry: null,
      suggested_units: 0,
      estimated_dollar_risk: 0,
      required_margin: 0,
      warnings: [],
    });
  });
});

describe("advice out of bounds", () => {
  it("is asked for once more with the reasons, and then accepted", async () => {
    const { signal, analyst } = setUp({ script: [upsideDown, soundBuy] });
    const { analysis, provenance } = await signal();
    expect(analyst.asked.map(({ corrections }) => corrections)).toEqual([
      [],
      [expect.stringMatching(/^The stop_loss .* of a BUY must be below its entry/)],
    ]);
    expect(analysis).toMatchObject({ final_signal: "BUY", warnings: [] });
    expect(provenance.calls).toMatchObject([
      { corrections: [], rejectedFor: [expect.stringMatching(/^The stop_loss/)] },
      { corrections: [expect.stringMatching(/^The stop_loss/)], rejectedFor: [] },
    ]);
  });

  it("is a WAIT with a warning when it is out of bounds again", async () => {
    const { signal, analyst } = setUp({ script: [upsideDown, { ...upsideDown, confidence: 90 }] });
    const { analysis } = await signal();
    expect(analyst.asked).toHaveLength(2);
    expect(analysis).toMatchObject({
      final_signal: "WAIT",
      confidence: 0,
      entry: null,
      stop_loss: null,
      take_profit: null,
      suggested_units: 0,
      estimated_dollar_risk: 0,
      required_margin: 0,
      suggested_hold: "No position",
      raw_ai: { confidence: 90, rationale: "The market moves." },
    });
    expect(analysis.warnings).toEqual([
      expect.stringMatching(
        /^The analyst's levels were rejected twice, so this is a WAIT\. The stop_loss/,
      ),
    ]);
  });

  it("keeps a confidence out of range out of the signal", async () => {
    const { analysis } = await setUp({
      script: [adviceOf({ confidence: 150 }), adviceOf({ confidence: -3 })],
    }).signal();
    expect(analysis).toMatchObject({ confidence: 0, raw_ai: { confidence: -3 } });
    expect(analysis.warnings[0]).toMatch(/^The analyst's answer was rejected twice/);
  });
});

describe("warnings", () => {
  it("say first that data is recorded and that rules analysed it", async () => {
    const note = "Demo data: recorded candles.";
    const series = { ...liveSeries(candles), data: "replay" as const, notes: [note] };
    const { analysis } = await setUp({ series, analyst: rulesAnalyst }).signal();
    expect(analysis.warnings[0]).toBe(note);
    expect(analysis.warnings[1]).toBe(
      "Rule-based analysis: this signal was made by fixed indicator rules, without an AI model.",
    );
    expect(analysis.source).toMatchObject({
      data: "replay",
      analyst: "rules",
      model: rulesAnalyst.version.replace("/", "-v"),
      analyst_version: rulesAnalyst.version,
    });
  });

  it("say that rules do not read a chart image", async () => {
    const overrides = { chartImage: "data:image/png;base64,AAAA" };
    const { analysis } = await setUp({ analyst: rulesAnalyst, overrides }).signal();
    expect(analysis.warnings).toContain("The chart image was not read. Its credit was returned.");
  });

  it("say only that a chart image shows another market, which is a WAIT without a further question", async () => {
    const chart = { ...NO_READING, symbol: "GBPUSD", lastPrice: 1.3123, timeframe: "4h" };
    const { signal, analyst } = setUp({
      script: [],
      charts: [chart],
      series: { ...liveSeries(candles), notes: ["A note."] },
      overrides: { chartImage: "data:image/png;base64,AAAA" },
    });
    const { analysis, isImageUnused } = await signal();
    expect(analyst.asked).toEqual([]);
    expect(analysis).toMatchObject({
      final_signal: "WAIT",
      confidence: 0,
      entry: null,
      suggested_units: 0,
      warnings: [
        "A note.",
        'The chart image seems to show "GBPUSD", not BTC/USDT, so this is a WAIT. Its credit was returned.',
      ],
      raw_ai: { chart_reading: { symbol: "GBPUSD", last_price: 1.3123, timeframe: "4h" } },
    });
    expect(isImageUnused).toBe(true);
  });

  it.each([
    { name: "read", charts: [NO_READING], isUnused: false },
    { name: "not read", charts: [null], isUnused: true },
  ])("go with an image that was $name, which is paid for only if it was read", async (image) => {
    const { charts, isUnused } = image;
    const overrides = { chartImage: "data:image/png;base64,AAAA" };
    const { analysis, isImageUnused } = await setUp({ charts, overrides }).signal();
    expect(isImageUnused).toBe(isUnused);
    const unread = "The chart image was not read. Its credit was returned.";
    expect(analysis.warnings).toEqual(isUnused ? [unread] : []);
    expect(analysis.final_signal).toBe("BUY");
    expect((await setUp({}).signal()).isImageUnused).toBe(false);
  });

  it("say that a position was cut, and that confidence is low", async () => {
    const { analysis } = await setUp({
      script: [{ ...soundBuy, confidence: 42.5 }],
      overrides: { request: { ...request, riskPercent: 50 } },
    }).signal();
    expect(analysis.warnings).toEqual([
      "Low confidence: 42.5 of 100.",
      expect.stringMatching(/^Position cut to what 1000 USD can carry at leverage 10/),
    ]);
    expect(analysis.required_margin).toBe(1_000);
  });

  it("say when the market has not moved on for three candles", async () => {
    const series = { ...liveSeries(candles), data: "replay" } as const;
    const at = (ms: number) =>
      setUp({ series, overrides: { now: () => lastCandleAt + ms } }).signal();
    expect((await at(3 * 3_600_000)).analysis.warnings).toEqual([]);
    expect((await at(3 * 3_600_000 + 1)).analysis.warnings).toEqual([
      expect.stringMatching(/^The last candle closed at .*Z: the market may be closed/),
    ]);
  });
});

describe("a pair without the dollar", () => {
  const cross = { ...request, symbol: "ETH/BTC" };
  const seriesOf = (bitcoin?: CandleSeries) =>
    memoryMarketData({
      "ETH/BTC": liveSeries(candles),
      ...(bitcoin && { "BTC/USDT": bitcoin }),
    });

  it("is sized by its quote's last price in dollars", async () => {
    const marketData = seriesOf(liveSeries(candles));
    const { analysis, provenance } = await setUp({
      overrides: { request: cross, marketData },
    }).signal();
    expect(marketData.asked.map(({ symbol }) => symbol)).toEqual([
      "ETH/BTC",
      "BTC/USD",
      "USD/BTC",
      "BTC/USDT",
    ]);
    expect(provenance.quoteToUsd).toBe(price);
    const distance = (analysis.entry ?? 0) - (analysis.stop_loss ?? 0);
    const lossAtStop = analysis.suggested_units * distance * price;
    expect(lossAtStop).toBeCloseTo(analysis.estimated_dollar_risk, 9);
  });

  it.each([
    { name: "no market gives its rate", bitcoin: undefined },
    {
      name: "only recorded data gives its rate",
      bitcoin: { ...liveSeries(candles), data: "replay" as const },
    },
  ])("is not sized, with a warning, where $name", async ({ bitcoin }) => {
    const overrides = { request: cross, marketData: seriesOf(bitcoin) };
    const { analysis } = await setUp({ overrides }).signal();
    expect(analysis).toMatchObject({ final_signal: "BUY", suggested_units: 0 });
    expect(analysis.warnings).toEqual([
      "Position size is not computed: the value of BTC in USD is not known.",
    ]);
  });
});

describe("failures", () => {
  const outage = new ProviderError({ provider: "openai", failure: "refused", message: "down" });

  it("of the market data reject as they are, and ask no analyst", async () => {
    const { signal, analyst } = setUp({
      overrides: { request: { ...request, symbol: "NO/SUCH" } },
    });
    await expect(signal()).rejects.toMatchObject({ failure: "unknown-symbol" });
    expect(analyst.asked).toEqual([]);
  });

  it("of the analyst reject with its last error", async () => {
    vi.useFakeTimers();
    const { signal, analyst } = setUp({ script: [outage, outage, outage] });
    const rejected = expect(signal()).rejects.toBe(outage);
    await vi.runAllTimersAsync();
    await rejected;
    expect(analyst.asked).toHaveLength(3);
  });

  it("that pass leave a trace in the provenance only", async () => {
    vi.useFakeTimers();
    const generating = setUp({ script: [outage, soundBuy] }).signal();
    await vi.runAllTimersAsync();
    const { analysis, provenance } = await generating;
    expect(analysis).toMatchObject({ final_signal: "BUY", warnings: [] });
    expect(provenance.calls[0]?.tries).toBe(2);
  });

  it.each([0, 29])("include a market of only %d candles", async (count) => {
    const { signal, analyst } = setUp({
      series: liveSeries(candles.slice(candles.length - count)),
    });
    await expect(signal()).rejects.toMatchObject({
      provider: "memory",
      failure: "nonsense",
      reason: `Only ${count} of the last 300 1h candles of BTC/USDT had trades; an analysis needs 30.`,
    });
    expect(analyst.asked).toEqual([]);
  });

  it("do not include a market of 30 candles", async () => {
    const { analysis } = await setUp({
      series: liveSeries(candles.slice(-30)),
      script: [adviceOf({})],
    }).signal();
    expect(analysis.final_signal).toBe("WAIT");
  });
});

describe("an abort", () => {
  const reason = new Error("out of time");
  const deafMarket = { candles: () => new Promise<never>(() => undefined) };
  const deafAnalyst = {
    name: "openai",
    version: "openai/1",
    advise: () => new Promise<never>(() => undefined),
  } as const;

  it.each([
    { while: "candles are fetched", overrides: { marketData: deafMarket } },
    { while: "the analyst thinks", overrides: { analyst: deafAnalyst } },
  ])(
    "ends the wait at once while $while, even if the service ignores the abort",
    async ({ overrides }) => {
      const controller = new AbortController();
      const { signal } = setUp({ overrides: { ...overrides, abort: controller.signal } });
      const rejected = expect(signal()).rejects.toBe(reason);
      controller.abort(reason);
      await rejected;
    },
  );

  it("before the start lets nothing begin", async () => {
    const { signal, marketData } = setUp({ overrides: { abort: AbortSignal.abort(reason) } });
    await expect(signal()).rejects.toBe(reason);
    expect(marketData.asked).toEqual([]);
  });
});

describe("the provenance", () => {
  it("lets anyone recompute the signal", async () => {
    const { provenance, candles: used } = await setUp({ script: [upsideDown, soundBuy] }).signal();
    expect(signalProvenanceSchema.parse(provenance)).toEqual(provenance);
    expect(provenance.candles).toEqual({
      sha256: hashCandles(used),
      count: 300,
      lastTime: new Date(lastCandleAt - 3_600_000).toISOString(),
      provider: "memory",
      data: "live",
      notes: [],
    });
    expect(provenance.madeAt).toBe(new Date(lastCandleAt + 60_000).toISOString());
    expect(provenance.calls.map(({ prompt }) => prompt)).toEqual(["prompt 1", "prompt 2"]);
    expect(provenance.calls[1]?.rawReply).toBe(JSON.stringify(soundBuy));
    expect(provenance).toMatchObject({
      analyst: "openai",
      analystVersion: "openai/scripted",
      model: "scripted-1",
      chartImageSha256: null,
      usage: { promptTokens: 300, completionTokens: 30, costUsd: 0.003 },
    });
  });

  it("counts no tokens for rules", async () => {
    const { provenance } = await setUp({ analyst: rulesAnalyst }).signal();
    expect(provenance).toMatchObject({ usage: null, calls: [{ usage: null, tries: 1 }] });
  });

  it("measures the stages", async () => {
    let clock = lastCandleAt;
    const { provenance } = await setUp({
      script: [upsideDown, soundBuy],
      overrides: { now: () => (clock += 5) },
    }).signal();
    expect(provenance.durationsMs).toEqual({
      fetching: 10,
      analysing: 10,
      checking: 10,
      sizing: 5,
    });
  });
});
