import { type Evidence, evidenceItemSchema } from "@shared/contract/evidence.ts";
import { type Candle, type SignalCandles, TIMEFRAME_MS } from "@shared/contract/market-data.ts";
import type { Resolution, SignalProgressResponse } from "@shared/contract/resolution.ts";
import type { HistoryFilter, HistoryQuery } from "@shared/contract/routes/signal-routes.ts";
import type { HistoryPage, SignalKind } from "@shared/contract/signal.ts";
import type { Database } from "@shared/database/database.ts";
import { marketKey } from "@shared/database/models/market-analysis.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { readCandles } from "@shared/database/stored-candles.ts";
import { presentHistoryItem } from "@shared/domain/present-signal.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { type QueryFilter, Types } from "mongoose";
import { z } from "zod";
import { beforeCursor, takePage } from "../../http/pagination.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { sharedFrom } from "./shared-from.ts";

const signalIdSchema = z
  .string()
  .regex(/^[0-9a-f]{24}$/)
  .transform((text) => new Types.ObjectId(text));

export const signalNotFound = (): AppError => new AppError("not-found", "There is no such signal.");

/** A user's own signal, or any signal without a user. */
export async function findSignal(
  deps: ServerDeps,
  user: Pick<UserRecord, "_id"> | null,
  id: unknown,
): Promise<SignalRecord> {
  const parsed = signalIdSchema.safeParse(id);
  const signal = parsed.success
    ? await deps.database.signals
        .findOne({ _id: parsed.data, ...(user && { userId: user._id }) })
        .lean()
    : null;
  if (!signal) throw signalNotFound();
  return signal;
}

/** The candles of a user's own signal; none if it is unfinished or failed. */
export async function readSignalCandles(
  deps: ServerDeps,
  user: Pick<UserRecord, "_id">,
  id: unknown,
): Promise<SignalCandles> {
  const { _id, analysisId, symbol, timeframe } = await findSignal(deps, user, id);
  const candles = await readCandles(deps.database.analysisCandles, analysisId);
  return { signal_id: _id.toString(), symbol, timeframe, candles };
}

const storedEvidenceSchema = z.object({
  evidence: z.array(evidenceItemSchema),
  chart: z.object({ text: z.string().optional() }).optional(),
});

export async function readEvidence(deps: ServerDeps, user: Owner, id: unknown): Promise<Evidence> {
  const { analysisId } = await findSignal(deps, user, id);
  const analysis = await deps.database.marketAnalyses
    .findById(analysisId)
    .select({ "provenance.evidence": 1, "provenance.chart.text": 1 })
    .lean();
  const { data } = storedEvidenceSchema.safeParse(analysis?.provenance);
  const chart_image = data?.chart?.text;
  return {
    analysis_id: String(analysisId),
    items: data?.evidence ?? [],
    ...(chart_image !== undefined && { chart_image }),
  };
}

type Owner = Pick<UserRecord, "_id">;

export async function listSignals(
  database: Database,
  user: Owner,
  query: HistoryQuery,
): Promise<HistoryPage> {
  const { limit, cursor } = query;
  const found = await database.signals
    .find({
      ...(await wantedOnly(database, user, query)),
      $and: [beforeCursor("createdAt", cursor)],
    })
    .sort({ createdAt: -1, _id: -1 })
    .limit(limit + 1)
    .lean();
  const { page, next } = takePage(found, limit, (signal) => signal.createdAt);
  const endings = await readEndings(database, page);
  const signals = page.map((signal) => ({
    ...presentHistoryItem(signal),
    ...endings.get(signal.analysisId.toString()),
  }));
  return { signals, next_cursor: next };
}

/** How the trades of these signals ended, by their analysis. */
async function readEndings(database: Database, signals: readonly SignalRecord[]) {
  const ended = signals.filter(({ outcome }) => outcome).map(({ analysisId }) => analysisId);
  const analyses = await database.marketAnalyses
    .find({ _id: { $in: ended } })
    .select({ "resolution.r_multiple": 1, "resolution.reason": 1 })
    .lean();
  return new Map(
    analyses.map(({ _id, resolution }) => [_id.toString(), resolution && endingOf(resolution)]),
  );
}

const endingOf = ({ r_multiple: r, reason }: Pick<Resolution, "r_multiple" | "reason">) => ({
  ...(r !== null && { r_multiple: r }),
  ...(reason === "no-data" && { without_data: true as const }),
});

/** A user's finished signals that match, in terms that the indexes support. */
export async function wantedOnly(
  database: Database,
  user: Owner,
  filter: HistoryFilter,
): Promise<QueryFilter<SignalRecord>> {
  const { symbol, signal, outcome, timeframe, origin } = filter;
  const kinds = TRADES.filter((kind) => !signal || kind === signal);
  return {
    userId: user._id,
    status: { $in: ["completed", "failed"] },
    ...(symbol !== undefined && { symbol: { $in: await symbolsWith(database, user, symbol) } }),
    ...(signal && { "analysis.final_signal": signal }),
    ...(outcome === "PENDING"
      ? { outcome: null, "analysis.final_signal": { $in: kinds } }
      : outcome && { outcome }),
    ...(timeframe && { timeframe }),
    ...(origin && { origin }),
    ...createdWithin(filter),
  };
}

/** A WAIT has no outcome, now or later. */
const TRADES = ["BUY", "SELL"] as const satisfies SignalKind[];

const createdWithin = ({ since, until }: HistoryFilter) =>
  (since || until) && {
    createdAt: { ...(since && { $gte: new Date(since) }), ...(until && { $lt: new Date(until) }) },
  };

/** The index is read once per symbol, not once per signal. */
async function symbolsWith(database: Database, user: Owner, part: string): Promise<string[]> {
  const symbols = await database.signals.distinct("symbol", { userId: user._id });
  return symbols.filter((symbol) => symbol.includes(part));
}

const MAX_CANDLES = 500;

export async function getSignalProgress(
  deps: ServerDeps,
  user: Pick<UserRecord, "_id" | "role">,
  id: unknown,
): Promise<SignalProgressResponse> {
  const signal = await findSignal(deps, user.role === "admin" ? null : user, id);
  const progress = await readProgress(deps.database, signal);
  return {
    signal_id: signal._id.toString(),
    symbol: signal.symbol,
    timeframe: signal.timeframe,
    ...progress,
    shared_at: signal.sharedAt?.toISOString() ?? null,
    shared_from: sharedFrom(deps, signal, progress.judgement),
  };
}

interface SignalProgress {
  judgement: Resolution | null;
  /** Closed candles since the analysis, oldest first: those that resolved the trade, or the latest ones while it is open. */
  candles: Candle[];
}

export async function readProgress(
  database: Database,
  { analysis, analysisId, status, symbol, timeframe }: SignalRecord,
): Promise<SignalProgress> {
  const isTrade = status === "completed" && analysis && analysis.final_signal !== "WAIT";
  const stored = isTrade
    ? await database.marketAnalyses
        .findById(analysisId)
        .select({ resolution: 1, finishedAt: 1, providerChange: 1 })
        .lean()
    : null;
  if (!isTrade || !stored?.finishedAt) return { judgement: null, candles: [] };
  if (stored.resolution) {
    const candles = await readCandles(database.outcomeCandles, analysisId);
    return { judgement: stored.resolution, candles };
  }
  const { data, provider } = analysis.source;
  const read = async (from: string) => {
    const key = marketKey({ data, provider: from, symbol, timeframe });
    return (await database.marketCandles.findById(key).lean())?.candles ?? [];
  };
  const madeAt = stored.finishedAt.getTime();
  const changedAt = stored.providerChange?.at.getTime() ?? Number.POSITIVE_INFINITY;
  const first = (await read(provider)).filter(
    ({ time }) => time + TIMEFRAME_MS[timeframe] > madeAt && time < changedAt,
  );
  const later = stored.providerChange
    ? (await read(stored.providerChange.provider)).filter(({ time }) => time >= changedAt)
    : [];
  return { judgement: null, candles: [...first, ...later].slice(0, MAX_CANDLES) };
}
