import type { Candle } from "@shared/contract/candle.ts";
import type { CandleRequest, CandleSeries, MarketData } from "../../providers/market-data.ts";
import { ProviderError } from "../../providers/provider-error.ts";
import type { Advice } from "../advice.ts";
import type { AdviceReply, AdviceRequest, Analyst } from "../analyst.ts";

/** Market data that holds series by symbol, and remembers what it was asked. */
export interface MemoryMarketData extends MarketData {
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

/** An analyst that answers from a script, in order, and remembers what it was asked. */
export interface ScriptedAnalyst extends Analyst {
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
      return replyWith(next, call);
    },
  };
}

function replyWith(advice: Advice, call: number): AdviceReply {
  return {
    advice,
    model: "scripted-1",
    prompt: `prompt ${call}`,
    rawReply: JSON.stringify(advice),
  };
}

/** Sound words around the given decision. */
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
