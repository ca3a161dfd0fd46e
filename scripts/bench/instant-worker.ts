import { setTimeout as delay } from "node:timers/promises";
import { PRODUCT_SYMBOLS } from "@shared/contract/instruments.ts";
import { type Candle, TIMEFRAME_MS } from "@shared/contract/market-data.ts";
import type { Analyst } from "../../worker/src/analysis/analyst.ts";
import type { CandleRequest, MarketData } from "../../worker/src/market-data/market-data.ts";
import { runWorker, type WorkerServices } from "../../worker/src/start-worker.ts";
import { adviceOf } from "../../worker/src/testing/fakes.ts";

// A worker whose market data and analyst take no time, so that only the pipeline is measured.

const analysisMs = Number(process.env.BENCH_ANALYSIS_MS ?? 0);

const SWING_MS = 9 * TIMEFRAME_MS["1h"];

/** A function of time only, so that all requests agree. */
const priceAt = (timeMs: number): number => 50_000 + 200 * Math.sin(timeMs / SWING_MS);

/** A wave that within minutes leaves no entry zone and reaches no stop: resolving signals is not measured. */
function waveCandles({ timeframe, limit }: CandleRequest): Candle[] {
  const stepMs = TIMEFRAME_MS[timeframe];
  const lastOpen = Math.floor(Date.now() / stepMs) * stepMs - stepMs;
  return Array.from({ length: limit }, (_, index) => {
    const time = lastOpen - (limit - 1 - index) * stepMs;
    const open = priceAt(time);
    const close = priceAt(time + stepMs);
    const high = Math.max(open, close) + 60;
    return { time, open, high, low: Math.min(open, close) - 60, close, volume: 10 };
  });
}

const marketData: MarketData = {
  candles: async (request) => ({
    candles: waveCandles(request),
    provider: "instant",
    data: "replay",
    notes: [],
  }),
};

const analyst: Analyst = {
  name: "rules",
  version: "rules/instant",
  async advise({ brief }) {
    if (analysisMs > 0) await delay(analysisMs);
    return {
      model: "instant",
      prompt: "",
      rawReply: "",
      advice: adviceOf({
        final_signal: "BUY",
        entry: brief.price,
        stop_loss: brief.price - 500,
        take_profit: brief.price + 1_000,
        hold_candles: 24,
      }),
    };
  },
};

const services: WorkerServices = {
  analyst,
  market: {
    marketData,
    sources: { live: undefined, replay: marketData },
    currentSource: () => "replay",
    probe: async () => undefined,
    listedSymbols: async () => ({ symbols: [...PRODUCT_SYMBOLS], missing: [] }),
    priceStream: async () => undefined,
    health: () => [],
    close: () => undefined,
  },
};

await runWorker(() => services);
