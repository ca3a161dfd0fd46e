import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { INSTRUMENTS, instrumentClass } from "@shared/contract/instruments.ts";
import type { Timeframe } from "@shared/contract/market-data.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { z } from "zod";
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

const TIMEFRAMES: readonly Timeframe[] = ["5m", "15m", "30m", "1h", "4h"];
/** Of markets that are analysed at the same moment. */
const AT_ONCE = "1m";
const SYMBOLS = INSTRUMENTS.filter(({ symbol }) => instrumentClass(symbol) === "crypto").map(
  ({ symbol }) => symbol,
);
const [FIRST = ""] = SYMBOLS;
const LIMIT = 50;

/** Measures how long the evidence beside the candles delays an analysis. */
export async function benchEvidence({ database }: BenchOptions): Promise<void> {
  await using sources = await startSources();
  const logger = createLogger({ service: "bench", level: "silent" });
  const events = new EconomicCalendar({ database, logger, url: sources.calendarUrl });
  const start = async (answerMs = sources.answerMs) => {
    const selection = await createMarketData({
      settings: {
        ...{ MARKET_DATA: "live", EXCHANGES: ["binance"], EXCHANGE_URL: sources.exchangeUrl },
        ...{ EXCHANGE_WS_URL: undefined, OANDA_TOKEN: undefined },
        ...{ OANDA_URL: "http://127.0.0.1:9", YAHOO_URL: "http://127.0.0.1:9" },
      },
      now: Date.now,
      logger,
    });
    const { marketData } = selection;
    const derivatives = derivativesAfter(answerMs);
    const evidence = createEvidence({ marketData, derivatives, events, guard: "warn" });
    const time = (symbol: string, timeframe: Timeframe) =>
      timeGathering(marketData, evidence, symbol, timeframe);
    // Loads the list of markets.
    await time(FIRST, "1h");
    return { time, [Symbol.dispose]: () => selection.close() };
  };
  const timeTogether = async ({ time }: Awaited<ReturnType<typeof start>>) =>
    Promise.all(SYMBOLS.map((symbol) => time(symbol, AT_ONCE)));
  {
    // Compiles the code, which a worker does once.
    using first = await start();
    await timeTogether(first);
  }
  using live = await start();
  const together = await timeTogether(live);
  const alone: number[] = [];
  for (const timeframe of TIMEFRAMES) {
    for (const symbol of SYMBOLS) alone.push(await live.time(symbol, timeframe));
  }
  const rowOf = (candles: string, times: readonly number[]) => ({
    ...{ candles, p50: percentile(times, 0.5), p95: percentile(times, 0.95) },
    most: Math.max(...times),
  });
  printTable(`Evidence where each answer takes ${sources.answerMs} ms, milliseconds`, [
    rowOf(`${together.length} at once`, together),
    rowOf(`${alone.length}, one after the other`, alone),
  ]);
  using silent = await start(60_000);
  printTable("A source that does not answer, milliseconds", [
    {
      "first analysis of a candle": await silent.time(FIRST, "4h"),
      "next one": await silent.time(FIRST, "4h"),
    },
  ]);
}

const sourcesSchema = z.object({
  exchangeUrl: z.string(),
  calendarUrl: z.string(),
  answerMs: z.number(),
});

async function startSources() {
  const entry = new URL("evidence-sources.ts", import.meta.url);
  const child = fork(entry, { execArgv: ["--import", "tsx"] });
  const [urls] = await once(child, "message");
  return {
    ...sourcesSchema.parse(urls),
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await once(child, "exit");
    },
  };
}

const derivativesAfter = (answerMs: number): DerivativesData => {
  const answer = async ({ until, abort }: { until: number; abort: AbortSignal }) => {
    await delay(answerMs, undefined, { signal: abort });
    return { value: 0.01, hours: 8, knownAt: until, exchange: "binance" };
  };
  return { fundingRate: answer, openInterest: answer };
};

/** @returns milliseconds */
async function timeGathering(
  marketData: MarketData,
  evidence: EvidenceProvider,
  symbol: string,
  timeframe: Timeframe,
): Promise<number> {
  const abort = new AbortController().signal;
  const series = await marketData.candles({ symbol, timeframe, limit: LIMIT, abort });
  const brief = buildMarketBrief({ symbol, timeframe, limit: LIMIT, candles: series.candles });
  const costs = DEFAULT_TRADING_COSTS[instrumentClass(symbol)];
  const startedAt = performance.now();
  await evidence.gather({ brief, series, costs }, abort);
  return performance.now() - startedAt;
}
