import { readFileSync } from "node:fs";
import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { parseCandleCsv } from "@shared/outcomes/resolve-again.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import type { Advice, AdviceRequest, Analyst } from "../analysis/analyst.ts";
import type { ChartReading } from "../analysis/check-chart.ts";
import type { CcxtLimits } from "../market-data/ccxt/ccxt-market-data.ts";
import type { GuardLimits } from "../market-data/fallback-market-data.ts";
import {
  type CandleRequest,
  type CandleSeries,
  type MarketData,
  ProviderError,
  type ProviderFailure,
} from "../market-data/market-data.ts";

interface MemoryMarketData extends MarketData {
  asked: CandleRequest[];
}

export function memoryMarketData(seriesBySymbol: Record<string, CandleSeries>): MemoryMarketData {
  const asked: CandleRequest[] = [];
  return {
    asked,
    async candles(request) {
      asked.push(request);
      const series = seriesBySymbol[request.symbol];
      const isAsked = (request.only ?? series?.provider) === series?.provider;
      if (series && isAsked) return { ...series, candles: series.candles.slice(-request.limit) };
      throw new ProviderError({
        provider: "memory",
        failure: "unknown-symbol",
        message: `does not list ${request.symbol}`,
      });
    },
  };
}

/** A market of one provider whose price has stayed at 100. */
export const calmMarket = (market: { provider: string; now: () => number }): MarketData => ({
  async candles({ timeframe, limit }) {
    const lengthMs = TIMEFRAME_MS[timeframe];
    const end = Math.floor(market.now() / lengthMs) * lengthMs;
    const candles = Array.from({ length: limit }, (_, index) => ({
      ...{ open: 100, high: 100, low: 100, close: 100, volume: 1 },
      time: end - (limit - index) * lengthMs,
    }));
    return { candles, provider: market.provider, data: "live", notes: [] };
  },
});

export function liveSeries(candles: Candle[]): CandleSeries {
  return { candles, provider: "memory", data: "live", notes: [] };
}

interface ScriptedAnalyst extends Analyst {
  asked: AdviceRequest[];
  images: string[];
}

/** @param charts what it reads off each chart image that it is shown */
export function scriptedAnalyst(
  script: (Advice | Error)[],
  charts: (ChartReading | null)[] = [],
): ScriptedAnalyst {
  const asked: AdviceRequest[] = [];
  const images: string[] = [];
  return {
    name: "openai",
    version: "openai/scripted",
    asked,
    images,
    async readChart({ chartImage }) {
      images.push(chartImage);
      const reading = charts[images.length - 1];
      if (reading === undefined) throw new Error("The analyst was shown an image too often.");
      return { reading, model: "scripted-1", prompt: "an image", rawReply: "what it shows" };
    },
    async advise(request) {
      asked.push(request);
      const next = script[asked.length - 1];
      if (!next) throw new Error("The analyst was asked more often than its script goes.");
      if (next instanceof Error) throw next;
      const call = asked.length;
      request.onUsage?.({
        model: "scripted-1",
        promptTokens: 100 * call,
        completionTokens: 10 * call,
        costUsd: 0.001 * call,
      });
      const prompt = `prompt ${call}`;
      return { advice: next, model: "scripted-1", prompt, rawReply: JSON.stringify(next) };
    },
  };
}

export function adviceOf(decision: Partial<Advice>): Advice {
  return {
    final_signal: "WAIT",
    confidence: 66,
    entry: null,
    stop_loss: null,
    take_profit: null,
    rationale: "The market moves.",
    key_evidence: ["It moved."],
    counter_evidence: [],
    market_condition: "Moving",
    what_to_watch_for: ["Whether it moves on."],
    suggested_hold: "12 candles (about 12 hours)",
    hold_candles: null,
    trade_duration_text: "Half a day.",
    ...decision,
  };
}

export interface ScriptedMarket extends MarketData {
  asked: CandleRequest[];
  failing: Map<string, ProviderFailure>;
  now: number;
}

/** Candles appear as `now` advances. */
export function scriptedMarket(
  candles: Partial<Record<Timeframe, readonly Candle[]>>,
  now: number,
): ScriptedMarket {
  return {
    asked: [],
    failing: new Map(),
    now,
    async candles(request) {
      this.asked.push(request);
      const { symbol, timeframe, limit, until = Number.POSITIVE_INFINITY } = request;
      const failure =
        this.failing.get(symbol) ?? (candles[timeframe] ? undefined : "unknown-symbol");
      if (failure) {
        throw new ProviderError({ provider: "scripted", failure, message: "as the test wants" });
      }
      const end = Math.min(this.now, until);
      const closed = (candles[timeframe] ?? []).filter(
        ({ time }) => time + TIMEFRAME_MS[timeframe] <= end,
      );
      return { candles: closed.slice(-limit), provider: "scripted", data: "live", notes: [] };
    },
  };
}

export const MONDAY = Date.UTC(2024, 0, 1);

/** Candles that open at the previous close. */
export function candlesFromCloses(
  closes: readonly number[],
  options: { timeframe?: Timeframe; startAt?: number; reach?: number; volume?: number } = {},
): Candle[] {
  const { timeframe = "1h", startAt = MONDAY, reach = 0.5, volume = 10 } = options;
  return closes.map((close, index) => {
    const open = closes[index - 1] ?? close;
    return {
      time: startAt + index * TIMEFRAME_MS[timeframe],
      open,
      high: Math.max(open, close) + reach,
      low: Math.min(open, close) - reach,
      close,
      volume,
    };
  });
}

export function series(count: number, valueAt: (index: number) => number): number[] {
  return Array.from({ length: count }, (_, index) => valueAt(index));
}

export function recordedCandles(name: string): Candle[] {
  const file = new URL(`../market-data/replay/data/${name}.csv`, import.meta.url);
  return parseCandleCsv(readFileSync(file, "utf8"));
}

const GENEROUS = { headersTimeoutMs: 10_000, totalTimeoutMs: 10_000, maxBytes: 2_000_000 };
const NO_HEADERS = { ...GENEROUS, headersTimeoutMs: 250 };
const NO_BODY = { ...GENEROUS, totalTimeoutMs: 250 };

/** Limits that a slow machine does not reach, and limits that make stalls visible quickly. */
export const CCXT_LIMITS = {
  generous: { candles: GENEROUS, markets: GENEROUS },
  stalledHeaders: { candles: NO_HEADERS, markets: GENEROUS },
  stalledBody: { candles: NO_BODY, markets: GENEROUS },
  stalledMarkets: { candles: GENEROUS, markets: NO_BODY },
} satisfies Record<string, CcxtLimits>;

export const GUARD_LIMITS: GuardLimits = {
  timeShareMs: 10_000,
  retryDelayMs: 1,
  failuresToRest: 3,
  restMs: 60_000,
};

export const silentLogger = createLogger({ service: "test", level: "silent" });

export function patient(): AbortSignal {
  return new AbortController().signal;
}

/** Keeps this process from doing anything else. */
export function blockFor(timeMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, timeMs);
}

const STEP_MS = 3_600_000;
const WALK_START = Date.UTC(2026, 0, 1);

/** A stated confidence, 0–1, and its outcome; one is resolved each hour. */
interface StatedSignal {
  openedAt: number;
  resolvedAt: number;
  stated: number;
  won: boolean;
}

/** Signals with stated confidences from 50 % to 100 %, which win with the chance `trueChance`. */
export function stateSignals(options: {
  seed: number;
  count: number;
  trueChance: (stated: number) => number;
}): StatedSignal[] {
  const random = xoroshiro128plus(options.seed);
  return Array.from({ length: options.count }, (_, index) => {
    const stated = uniformInt(random, 50, 100) / 100;
    const won = uniformFloat64(random) < options.trueChance(stated);
    const resolvedAt = WALK_START + index * STEP_MS;
    return { openedAt: resolvedAt - STEP_MS / 2, resolvedAt, stated, won };
  });
}
