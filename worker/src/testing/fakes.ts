import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import type { Advice, AdviceRequest, Analyst } from "../analysis/analyst.ts";
import type { CandleRequest, CandleSeries, MarketData } from "../market-data/market-data.ts";
import { ProviderError, type ProviderFailure } from "../market-data/provider-error.ts";

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
      if (series) return { ...series, candles: series.candles.slice(-request.limit) };
      throw new ProviderError({
        provider: "memory",
        failure: "unknown-symbol",
        message: `does not list ${request.symbol}`,
      });
    },
  };
}

export function liveSeries(candles: Candle[]): CandleSeries {
  return { candles, provider: "memory", data: "live", notes: [] };
}

interface ScriptedAnalyst extends Analyst {
  asked: AdviceRequest[];
}

export function scriptedAnalyst(script: (Advice | Error)[]): ScriptedAnalyst {
  const asked: AdviceRequest[] = [];
  return {
    name: "openai",
    version: "openai/scripted",
    asked,
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
      const failure = this.failing.get(symbol) ?? (candles[timeframe] ? undefined : "nonsense");
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
