import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { expect, it } from "vitest";
import {
  adviceOf,
  liveSeries,
  memoryMarketData,
  recordedCandles,
  scriptedAnalyst,
} from "../testing/fakes.ts";
import { generateSignal } from "./analyse-market.ts";
import type { Analyst } from "./analyst.ts";
import { buildMarketBrief } from "./market-brief.ts";
import { signalProvenanceSchema } from "./provenance.ts";
import { rulesAnalyst } from "./rules/rules-analyst.ts";

/** The rules advise a trade at the end of these candles. */
const candles = recordedCandles("BTC-USDT.1h").slice(220, 520);
const market = { symbol: "BTC/USDT", timeframe: "1h", limit: 50 } as const;
const { price, indicators, lastCandleAt } = buildMarketBrief({ ...market, candles });
const atr = indicators.atr14 ?? Number.NaN;
const advice = adviceOf({
  final_signal: "BUY",
  entry: price,
  stop_loss: price - 2 * atr,
  take_profit: price + 4 * atr,
});
/** Too much for these stops, but not for the farthest one. */
const HIGH = { spread_percent: 0.2, commission_percent: 0.1 };
const reason =
  /^No trade is proposed: its trading costs of 0\.4% of the price are \d+(\.\d+)?% of its risk, with the stop /;

const signalBy = (analyst: Analyst, costs = HIGH) =>
  generateSignal({
    request: { ...market, amount: 1_000, riskPercent: 1, leverage: 10 },
    marketData: memoryMarketData({ "BTC/USDT": liveSeries(candles) }),
    analyst,
    costs,
    now: () => lastCandleAt + 60_000,
    abort: new AbortController().signal,
  });

it("is a WAIT with exactly this reason where costs take too much of the risk; the model is not called again", async () => {
  const analyst = scriptedAnalyst([advice]);
  const { analysis, provenance } = await signalBy(analyst);
  expect(analysis).toMatchObject({
    final_signal: "WAIT",
    confidence: 0,
    entry: null,
    stop_loss: null,
    take_profit: null,
    suggested_units: 0,
    estimated_dollar_risk: 0,
    required_margin: 0,
    valid_until: null,
    warnings: [expect.stringMatching(reason)],
    raw_ai: { confidence: advice.confidence, rationale: advice.rationale },
  });
  expect(analyst.asked).toMatchObject([{ costs: HIGH }]);
  expect(signalProvenanceSchema.parse(provenance).costs).toEqual(HIGH);
});

it("is a WAIT when the rules made the trade, too", async () => {
  const usual = await signalBy(rulesAnalyst, DEFAULT_TRADING_COSTS.crypto);
  expect(usual.analysis.final_signal).not.toBe("WAIT");
  const { analysis } = await signalBy(rulesAnalyst);
  expect(analysis).toMatchObject({ final_signal: "WAIT", entry: null });
  expect(analysis.warnings).toContainEqual(expect.stringMatching(reason));
});

it("may cite the costs that the analyst was given", async () => {
  const rationale = "The round trip of 0.11% is small against the stop.";
  const analyst = scriptedAnalyst([{ ...advice, rationale }]);
  const { analysis } = await signalBy(analyst, DEFAULT_TRADING_COSTS.crypto);
  expect(analysis).toMatchObject({ final_signal: "BUY", warnings: [] });
});
