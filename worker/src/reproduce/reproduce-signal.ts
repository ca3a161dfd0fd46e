import type { Candle } from "@shared/contract/candle.ts";
import type { Analysis } from "@shared/contract/signal.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import { generateSignal } from "../analysis/analyse-market.ts";
import {
  type AdviceReply,
  type AdviceRequest,
  type Analyst,
  NO_ADVICE,
} from "../analysis/analyst.ts";
import { OPENAI_ANALYST_VERSION } from "../analysis/openai/openai-analyst.ts";
import { promptProvenance } from "../analysis/openai/prompt.ts";
import { readAdvice } from "../analysis/openai/reply.ts";
import { hashCandles, type SignalProvenance } from "../analysis/provenance.ts";
import { rulesAnalyst } from "../analysis/rules/rules-analyst.ts";
import type { CandleSeries, MarketData } from "../market-data/market-data.ts";
import { ProviderError } from "../market-data/provider-error.ts";

export type Reproduction =
  | { verdict: "match"; notes: string[] }
  | { verdict: "mismatch"; differences: Difference[]; notes: string[] }
  | { verdict: "impossible"; reason: string };

interface StoredSignal {
  signal: Pick<
    SignalRecord,
    "symbol" | "timeframe" | "limit" | "amount" | "riskPercent" | "leverage"
  >;
  analysis: Analysis;
  provenance: SignalProvenance;
  candles: Candle[];
}

/** Depend on the run or on later knowledge. */
const RUN_FIELDS = ["delivery_delay_ms", "calibrated_confidence"] as const;

const ANY_IMAGE = "data:,";

/**
 * Repeats a signal from its candles and compares it. The stored replies of a model are parsed, checked and sized again.
 */
export async function reproduceSignal(stored: StoredSignal): Promise<Reproduction> {
  const { provenance, candles } = stored;
  const sha256 = hashCandles(candles);
  if (sha256 !== provenance.candles.sha256) {
    const difference = {
      field: "candles.sha256",
      stored: provenance.candles.sha256,
      recomputed: sha256,
    };
    const notes = ["The stored candles are not those that the signal was made from."];
    return { verdict: "mismatch", differences: [difference], notes };
  }
  if (provenance.analyst === "rules" && provenance.analystVersion !== rulesAnalyst.version) {
    const reason = `It was made by ${provenance.analystVersion}, and this is ${rulesAnalyst.version}: use the version of the product that made it.`;
    return { verdict: "impossible", reason };
  }
  try {
    return await compare(stored);
  } catch (error) {
    if (!(error instanceof ReproduceError || error instanceof ProviderError)) throw error;
    const difference = { field: "analysis", stored: "a signal", recomputed: error.message };
    return { verdict: "mismatch", differences: [difference], notes: [] };
  }
}

async function compare(stored: StoredSignal): Promise<Reproduction> {
  const { signal, provenance, analysis } = stored;
  const made = await generateSignal({
    request: signal,
    chartImage: provenance.chartImageSha256 === null ? undefined : ANY_IMAGE,
    marketData: storedMarketData(stored),
    analyst: provenance.analyst === "openai" ? storedAnalyst(provenance) : rulesAnalyst,
    costs: provenance.costs,
    now: () => Date.parse(provenance.madeAt),
    abort: new AbortController().signal,
  });
  const isSamePrompt =
    provenance.analyst !== "openai" || provenance.analystVersion === OPENAI_ANALYST_VERSION;
  const found = [
    ...differences(lasting(analysis), lasting(made.analysis)),
    ...differences(
      callsIn(provenance, isSamePrompt),
      callsIn(made.provenance, isSamePrompt),
      "provenance.calls",
    ),
  ];
  const notes = isSamePrompt
    ? []
    : [
        `The prompt was ${provenance.analystVersion}, now it is ${OPENAI_ANALYST_VERSION}: it was not compared.`,
      ];
  return found.length === 0
    ? { verdict: "match", notes }
    : { verdict: "mismatch", differences: found, notes };
}

function lasting({ source, ...analysis }: Analysis): unknown {
  const { analysis_id: _id, analysed_at: _at, demo_record: _demo, ...market } = source;
  const kept = Object.entries(analysis).filter(
    ([name]) => !RUN_FIELDS.some((field) => field === name),
  );
  return { ...Object.fromEntries(kept), source: market };
}

function callsIn({ calls }: SignalProvenance, withPrompt: boolean): unknown {
  return calls.map(({ prompt, rawReply, corrections, rejectedFor }) => ({
    ...(withPrompt && { prompt }),
    rawReply,
    corrections,
    rejectedFor,
  }));
}

export interface Difference {
  field: string;
  stored: unknown;
  recomputed: unknown;
}

/** Differences of two JSON values by path: `raw_ai.key_evidence.0`. */
function differences(stored: unknown, recomputed: unknown, field = ""): Difference[] {
  if (!isBranch(stored) || !isBranch(recomputed)) {
    return Object.is(stored, recomputed) ? [] : [{ field, stored, recomputed }];
  }
  const names = new Set([...Object.keys(stored), ...Object.keys(recomputed)]);
  return [...names].flatMap((name) =>
    differences(stored[name], recomputed[name], field === "" ? name : `${field}.${name}`),
  );
}

function isBranch(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

class ReproduceError extends Error {
  override readonly name = "ReproduceError";
}

function storedMarketData(options: {
  signal: Pick<SignalRecord, "symbol">;
  provenance: SignalProvenance;
  candles: Candle[];
}): MarketData {
  const { signal, provenance, candles } = options;
  const { provider, data, notes, market } = provenance.candles;
  const series: CandleSeries = { candles, provider, data, notes, ...(market && { market }) };
  return {
    async candles({ symbol }) {
      if (symbol === signal.symbol) return series;
      const rate = provenance.quoteToUsd;
      const last = candles.slice(-1);
      if (rate !== null) {
        return { ...series, candles: last.map((candle) => ({ ...candle, close: rate })) };
      }
      throw new ProviderError({
        provider,
        failure: "unknown-symbol",
        message: `${symbol} is not in the provenance`,
      });
    },
  };
}

function storedAnalyst(provenance: SignalProvenance): Analyst {
  let asked = 0;
  return {
    name: "openai",
    version: provenance.analystVersion,
    async advise(request) {
      const call = provenance.calls[asked];
      asked += 1;
      if (!call) throw new ReproduceError("the stored replies are not accepted any more");
      return toReply(call, { provenance, request });
    },
  };
}

function toReply(
  { rawReply, cutOff, rejectedFor }: SignalProvenance["calls"][number],
  { provenance, request }: { provenance: SignalProvenance; request: AdviceRequest },
): AdviceReply {
  const common = { model: provenance.model, prompt: promptProvenance(request), rawReply };
  if (cutOff) return { ...common, advice: NO_ADVICE, cutOff: rejectedFor.join(" ") };
  try {
    const { advice, chart } = readAdvice(rawReply);
    return {
      ...common,
      advice,
      ...(request.chartImage !== undefined && { chart }),
    };
  } catch (error) {
    // A ProviderError would be retried.
    throw new ReproduceError("the stored reply cannot be read any more", { cause: error });
  }
}
