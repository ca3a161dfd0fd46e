import type { Candle } from "@shared/contract/market-data.ts";
import type { Analysis } from "@shared/contract/signal.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import { readCandles } from "@shared/database/stored-candles.ts";
import { asFinished } from "@shared/domain/reuse-analysis.ts";
import { sizeAnalysis } from "@shared/domain/sizing.ts";
import { isValidObjectId } from "mongoose";
import { generateSignal } from "../analysis/analyse-market.ts";
import {
  type AdviceReply,
  type AdviceRequest,
  type Analyst,
  type ChartReply,
  NO_ADVICE,
  UnreadableReplyError,
} from "../analysis/analyst.ts";
import { BASE_EVIDENCE } from "../analysis/evidence/base-evidence.ts";
import type { EvidenceProvider } from "../analysis/evidence/evidence-pack.ts";
import { CHART_PROVENANCE } from "../analysis/openai/chart-prompt.ts";
import { hasSamePrompt, OPENAI_ANALYST_VERSION } from "../analysis/openai/openai-analyst.ts";
import { promptProvenance } from "../analysis/openai/prompt.ts";
import { readChart } from "../analysis/openai/read-chart.ts";
import { readAdvice } from "../analysis/openai/read-reply.ts";
import {
  hashCandles,
  type SignalProvenance,
  signalProvenanceSchema,
} from "../analysis/provenance.ts";
import { rulesAnalyst } from "../analysis/rules/rules-analyst.ts";
import type { CandleSeries, MarketData } from "../market-data/market-data.ts";
import { ProviderError } from "../market-data/market-data.ts";

type Reproduction =
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
async function reproduceSignal(stored: StoredSignal): Promise<Reproduction> {
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
  if (readImageDifferently(provenance)) {
    const reason = `${provenance.analystVersion} read its chart image in another way: use the version of the product that made it.`;
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

/** Earlier versions sent the image with the question for advice. */
const readImageDifferently = (provenance: SignalProvenance): boolean =>
  provenance.analyst === "openai" &&
  provenance.chartImageSha256 !== null &&
  provenance.chart === undefined &&
  !hasSamePrompt(provenance.analystVersion);

async function compare(stored: StoredSignal): Promise<Reproduction> {
  const { signal, provenance, analysis } = stored;
  const generated = await generateSignal({
    request: signal,
    chartImage: provenance.chartImageSha256 === null ? undefined : ANY_IMAGE,
    marketData: storedMarketData(stored),
    analyst: isOfModel(provenance) ? storedAnalyst(provenance) : rulesAnalyst,
    costs: provenance.costs,
    evidence: storedEvidence(provenance),
    asksAlways: isAsked(provenance),
    now: () => Date.parse(provenance.madeAt),
    abort: new AbortController().signal,
  });
  const isSamePrompt = provenance.analyst !== "openai" || hasSamePrompt(provenance.analystVersion);
  const found = [
    ...differences(lasting(analysis), lasting(generated.analysis)),
    ...differences(
      callsIn(provenance, isSamePrompt),
      callsIn(generated.provenance, isSamePrompt),
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

/** Of a chart image of another market, the model has only read that. */
const isOfModel = ({ analyst, chart }: SignalProvenance): boolean =>
  analyst === "openai" || chart !== undefined;

const isAsked = ({ analyst, chart }: SignalProvenance): boolean =>
  analyst !== "none" || chart !== undefined;

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

/** Earlier versions had none. */
function storedEvidence(provenance: SignalProvenance): EvidenceProvider {
  const { evidence = [], events = [] } = provenance;
  const items = evidence.filter(({ key }) => !BASE_EVIDENCE.some((base) => base === key));
  return {
    guard: isAsked(provenance) ? "warn" : "wait",
    gather: () => Promise.resolve({ items, events }),
  };
}

function storedAnalyst(provenance: SignalProvenance): Analyst {
  const { chart } = provenance;
  let callIndex = 0;
  return {
    name: "openai",
    version: provenance.analystVersion,
    samples: provenance.samples?.answered ?? 1,
    async advise(request) {
      const call = provenance.calls[callIndex];
      callIndex += 1;
      if (!call) throw new ReproduceError("the stored replies are not accepted any more");
      return toReply(call, { provenance, request });
    },
    ...(chart && { readChart: async () => toChart(chart, provenance) }),
  };
}

const toChart = (
  { rawReply, isRead }: NonNullable<SignalProvenance["chart"]>,
  { model }: SignalProvenance,
): ChartReply => ({
  model,
  prompt: CHART_PROVENANCE,
  rawReply,
  reading: isRead ? readChart(rawReply) : null,
});

function toReply(
  { rawReply, cutOff, rejectedFor }: SignalProvenance["calls"][number],
  { provenance, request }: { provenance: SignalProvenance; request: AdviceRequest },
): AdviceReply {
  const common = { model: provenance.model, prompt: promptProvenance(request), rawReply };
  if (cutOff) return { ...common, advice: NO_ADVICE, cutOff: rejectedFor.join(" ") };
  try {
    return { ...common, advice: readAdvice(rawReply) };
  } catch (error) {
    if (error instanceof UnreadableReplyError && rejectedFor.length > 0) throw error.of(common);
    // A ProviderError would be retried.
    throw new ReproduceError("the stored reply cannot be read any more", { cause: error });
  }
}

/** @returns text for the terminal, and the exit code */
export async function runReproduction(options: {
  uri: string;
  signalId: string;
}): Promise<{ text: string; exitCode: number }> {
  const { uri, signalId } = options;
  const database = await openDatabase({ uri });
  try {
    const reproduction = await reproduceStoredSignal(database, signalId);
    const exitCode = EXIT_CODES[reproduction.verdict];
    return { text: describeReproduction(signalId, reproduction), exitCode };
  } finally {
    await database.close();
  }
}

const impossible = (reason: string): Reproduction => ({ verdict: "impossible", reason });

/** Reproduces a stored signal. For a signal whose entry was missed when requested, reproduces its analysis. */
export async function reproduceStoredSignal(
  database: Database,
  signalId: string,
): Promise<Reproduction> {
  const isId = isValidObjectId(signalId);
  const signal = isId ? await database.signals.findById(signalId).lean() : null;
  if (!signal) return impossible("There is no such signal.");
  if (signal.status === "failed") return impossible("It failed: there is nothing to recompute.");
  const { analysis } = signal;
  if (!analysis) return impossible(`It is not finished yet (${signal.status}).`);
  const stored = await database.marketAnalyses.findById(signal.analysisId).lean();
  const provenance = signalProvenanceSchema.safeParse(stored?.provenance);
  if (!provenance.success) {
    return impossible(
      "Its provenance is missing, or of a version of the product that wrote others.",
    );
  }
  const candles = await readCandles(database.analysisCandles, signal.analysisId);
  if (candles.length === 0) return impossible("Its candles are not stored.");
  const finished = stored && asFinished(stored);
  const isMissed = analysis.final_signal !== finished?.result.analysis.final_signal;
  const shown = finished && isMissed ? sizeAnalysis(finished, signal) : analysis;
  return reproduceSignal({ signal, analysis: shown, provenance: provenance.data, candles });
}

export const EXIT_CODES = { match: 0, mismatch: 1, impossible: 2 } as const;

const MAX_VALUE_LENGTH = 160;

export function describeReproduction(signalId: string, found: Reproduction): string {
  if (found.verdict === "impossible") return `${signalId}: cannot be made again. ${found.reason}`;
  const lines =
    found.verdict === "match"
      ? [`${signalId}: match. Made again from its candles, it is the same.`, ...found.notes]
      : [
          `${signalId}: mismatch. Made again from its candles, it is not the same.`,
          ...found.notes,
          ...found.differences.flatMap(describeDifference),
        ];
  return lines.join("\n");
}

function describeDifference({ field, stored, recomputed }: Difference): string[] {
  const from = show(stored);
  const to = show(recomputed);
  const start = firstDifference(from, to);
  return [`  ${field}`, `    stored      ${cut(from, start)}`, `    recomputed  ${cut(to, start)}`];
}

const show = (value: unknown): string => JSON.stringify(value) ?? "(absent)";

function firstDifference(a: string, b: string): number {
  const index = [...a].findIndex((character, at) => character !== b[at]);
  return index === -1 ? a.length : index;
}

function cut(text: string, start: number): string {
  if (text.length <= MAX_VALUE_LENGTH) return text;
  const from = Math.max(start - MAX_VALUE_LENGTH / 4, 0);
  const end = from + MAX_VALUE_LENGTH;
  return `${from > 0 ? "…" : ""}${text.slice(from, end)}${end < text.length ? "…" : ""}`;
}
