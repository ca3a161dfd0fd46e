import { setTimeout as delay } from "node:timers/promises";
import { INSTRUMENTS, instrumentClass } from "@shared/contract/instruments.ts";
import type { Timeframe } from "@shared/contract/market-data.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { startFakeExchange } from "@shared/testing/fakes/fake-exchange.ts";
import { sendJson, startHttpFake } from "@shared/testing/fakes/fake-http.ts";
import {
  createEvidence,
  type EvidenceProvider,
} from "../../worker/src/analysis/evidence/evidence-pack.ts";
import { buildMarketBrief } from "../../worker/src/analysis/market-brief.ts";
import { EconomicCalendar } from "../../worker/src/economic-events/economic-calendar.ts";
import type { DerivativesData } from "../../worker/src/market-data/derivatives.ts";
import type { MarketData } from "../../worker/src/market-data/market-data.ts";
import { createMarketData } from "../../worker/src/market-data/select-market-data.ts";
import { type BenchOptions, percentile, printTable } from "./start-product.ts";

/** Of every answer of the exchange and the calendar. */
const ANSWER_MS = 150;
const TIMEFRAMES: readonly Timeframe[] = ["5m", "15m", "30m", "1h", "4h"];
/** Of markets that are analysed at the same moment. */
const AT_ONCE = "1m";
const SYMBOLS = INSTRUMENTS.filter(({ symbol }) => instrumentClass(symbol) === "crypto").map(
  ({ symbol }) => symbol,
);
const LIMIT = 50;

/** Measures how long the evidence beside the candles delays an analysis. */
export async function benchEvidence({ database }: BenchOptions): Promise<void> {
  const exchange = await startFakeExchange();
  exchange.behave("slow");
  const calendar = await startHttpFake(async (_, response) => {
    await delay(ANSWER_MS);
    sendJson(response, []);
  });
  const logger = createLogger({ service: "bench", level: "silent" });
  const selection = await createMarketData({
    settings: {
      ...{ MARKET_DATA: "live", EXCHANGES: ["binance"], EXCHANGE_URL: exchange.url },
      ...{ EXCHANGE_WS_URL: undefined, OANDA_TOKEN: undefined },
      ...{ OANDA_URL: "http://127.0.0.1:9", YAHOO_URL: "http://127.0.0.1:9" },
    },
    now: Date.now,
    logger,
  });
  const { marketData } = selection;
  const events = new EconomicCalendar({ database, logger, url: calendar.url });
  const evidenceOf = (derivatives: DerivativesData) =>
    createEvidence({ marketData, derivatives, events, guard: "warn" });
  try {
    const evidence = evidenceOf(derivativesAfter(ANSWER_MS));
    // Also loads the list of markets.
    await timeGathering({ marketData, evidence, symbol: SYMBOLS[0] ?? "", timeframe: "1h" });
    const together = await Promise.all(
      SYMBOLS.map((symbol) => timeGathering({ marketData, evidence, symbol, timeframe: AT_ONCE })),
    );
    const alone: number[] = [];
    for (const timeframe of TIMEFRAMES) {
      for (const symbol of SYMBOLS) {
        alone.push((await timeGathering({ marketData, evidence, symbol, timeframe })).tookMs);
      }
    }
    const rowOf = (candles: string, times: readonly number[]) => ({
      ...{ candles, p50: percentile(times, 0.5), p95: percentile(times, 0.95) },
      most: Math.max(...times),
    });
    printTable(`Evidence where each answer takes ${ANSWER_MS} ms, milliseconds`, [
      rowOf(
        `${together.length} at once`,
        together.map(({ tookMs }) => tookMs),
      ),
      rowOf(`${alone.length}, one after the other`, alone),
    ]);
    const silent = evidenceOf(derivativesAfter(60_000));
    const market = {
      marketData,
      evidence: silent,
      symbol: SYMBOLS[0] ?? "",
      timeframe: "1h",
    } as const;
    const first = await timeGathering(market);
    const again = await timeGathering(market);
    printTable("A source that does not answer, milliseconds", [
      { "first analysis of a candle": first.tookMs, "next one": again.tookMs },
    ]);
  } finally {
    selection.close();
    await Promise.all([exchange.close(), calendar.close()]);
  }
}

const derivativesAfter = (answerMs: number): DerivativesData => {
  const answer = async ({ until, abort }: { until: number; abort: AbortSignal }) => {
    await delay(answerMs, undefined, { signal: abort });
    return { value: 0.01, hours: 8, knownAt: until, exchange: "binance" };
  };
  return { fundingRate: answer, openInterest: answer };
};

async function timeGathering(market: {
  marketData: MarketData;
  evidence: EvidenceProvider;
  symbol: string;
  timeframe: Timeframe;
}): Promise<{ tookMs: number }> {
  const { marketData, evidence, symbol, timeframe } = market;
  const abort = new AbortController().signal;
  const series = await marketData.candles({ symbol, timeframe, limit: LIMIT, abort });
  const brief = buildMarketBrief({ symbol, timeframe, limit: LIMIT, candles: series.candles });
  const costs = DEFAULT_TRADING_COSTS[instrumentClass(symbol)];
  const startedAt = performance.now();
  await evidence.gather({ brief, series, costs }, abort);
  return { tookMs: performance.now() - startedAt };
}
