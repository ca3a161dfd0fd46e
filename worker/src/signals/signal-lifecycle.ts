import type { Candle } from "@shared/contract/market-data.ts";
import { bulkUpdate, type Database } from "@shared/database/database.ts";
import type {
  MarketAnalysisRecord,
  MarketResult,
  RejectedTrade,
  SignalUsageRecord,
} from "@shared/database/models/market-analysis.ts";
import { type SignalRecord, UNFINISHED } from "@shared/database/models/signal.ts";
import { packCandles } from "@shared/database/stored-candles.ts";
import { dayOf } from "@shared/domain/ai-budget.ts";
import { presentSignal, presentSignalRef } from "@shared/domain/present-signal.ts";
import { sizeAnalysis } from "@shared/domain/sizing.ts";
import { postTrade } from "@shared/domain/telegram-channel.ts";
import { commit, commitBatched, type UnitOfWork } from "@shared/outbox/commit.ts";
import { BatchedWrite, type NonEmpty } from "@shared/outbox/group-commit.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import type { Funding } from "@shared/outcomes/funding.ts";
import { addWork } from "@shared/work/work-item.ts";
import type { ClientSession, Types } from "mongoose";
import { firstLookAt } from "../outcomes/judge-waits.ts";
import { fanOutWork } from "./fan-out.ts";
import { hasUsedRefusalRefunds, refundCredit, warnOfCharge } from "./refund-credit.ts";

export const MAX_SIGNALS = 200;

export type AnalysisRun = Omit<MarketAnalysisRecord, "provenance">;

/**
 * Starts a run of each analysis: `queued → running`, or `running → running` after a lost worker. `revision` is a
 * fencing token:
 * only the latest run can finish the analysis. The signals of the analyses are started too.
 */
export async function startRuns(
  database: Database,
  uow: UnitOfWork,
  ids: readonly Types.ObjectId[],
): Promise<{ runs: AnalysisRun[]; hasMore: boolean }> {
  const { marketAnalyses } = database;
  const { session, at } = uow;
  const unfinished = { _id: { $in: [...ids] }, ...UNFINISHED };
  await marketAnalyses.updateMany(
    unfinished,
    { $set: { status: "running", startedAt: at, updatedAt: at }, $inc: { revision: 1 } },
    { session },
  );
  const runs = await marketAnalyses.find(unfinished).session(session).lean();
  return { runs, hasMore: await startSignals(database, uow, runs) };
}

/** Starts signals that did not fit into the transaction of `startRuns`. */
export async function startOtherSignals(
  database: Database,
  runs: readonly AnalysisRun[],
): Promise<void> {
  const lockKeys = runs.flatMap(lockKeysOf);
  let hasMore = true;
  while (hasMore) {
    hasMore = await commit(database, { lockKeys }, (uow) => startSignals(database, uow, runs));
  }
}

async function startSignals(
  database: Database,
  { session, at, addEvent }: UnitOfWork,
  runs: readonly AnalysisRun[],
): Promise<boolean> {
  if (runs.length === 0) return false;
  const { signals } = database;
  const unstarted = await signals
    .find({
      ...UNFINISHED,
      $or: runs.map(({ _id, revision }) => ({ analysisId: _id, revision: { $lt: revision } })),
    })
    .limit(MAX_SIGNALS)
    .session(session)
    .lean();
  for (const revision of new Set(runs.map((run) => run.revision))) {
    const ofRevision = runs.filter((run) => run.revision === revision);
    const started = unstarted.filter(({ analysisId }) =>
      ofRevision.some(({ _id }) => _id.equals(analysisId)),
    );
    await signals.updateMany(
      { _id: { $in: started.map(({ _id }) => _id) } },
      { $set: { status: "running", revision, startedAt: at, updatedAt: at } },
      { session },
    );
  }
  for (const signal of unstarted) {
    const to = { stream: userStream(signal.userId), requestId: signal.requestId };
    addEvent(to, "signal:started", presentSignalRef(signal));
  }
  return unstarted.length === MAX_SIGNALS;
}

/** Serializes runs of the same user, which would otherwise conflict. */
const lockKeysOf = ({ userId }: Pick<AnalysisRun, "userId">): string[] =>
  userId ? [userStream(userId)] : [];

export interface RunResult {
  status: "completed" | "failed";
  result: MarketResult;
  /** The model declined to answer. */
  isRefusal?: boolean;
  /** The analysis does not use its chart image, as it was not read or shows another market. */
  isImageUnused?: boolean;
  provenance?: unknown;
  rejectedTrade?: RejectedTrade | null;
  funding?: Funding | undefined;
  candles?: Candle[];
  usage?: Omit<SignalUsageRecord, "_id" | "at"> | undefined;
}

/**
 * Finishes a run with its signals and events, deletes its job, and refunds the credit if no image was analysed.
 * @returns false if the analysis was deleted or taken over by another run; nothing is changed then
 */
export async function finishRun(
  database: Database,
  run: AnalysisRun,
  end: RunResult,
): Promise<boolean> {
  const isImageUsed = isAnalysed(end) && !end.isImageUnused;
  const needsRefund = run.chartImageId !== undefined && !isImageUsed;
  const finished = await commitBatched(
    database,
    {
      lockKeys: [...lockKeysOf(run), ...(needsRefund ? [ADMINS_STREAM] : [])],
      groupCommit: !needsRefund,
      requestId: run.requestId,
      batch: { write: finishing, input: (at) => ({ database, run, end, at }) },
    },
    async (uow, signals) => {
      if (!signals) return null;
      addResults(database, uow, run, end);
      if (signals.isWatched) {
        addWork(database, uow, fanOutWork(run._id, uow.at));
        await postTrade(database, uow, run);
      }
      if (wasFree(end)) await uncountAnalysis(database, uow, run);
      if (needsRefund) await finishUnanalysed(database, uow, signals.finished, end);
      else announceFinished(uow, signals.finished);
      return signals;
    },
  );
  if (finished?.hasMore) await finishOtherSignals(database, run._id);
  return finished !== null;
}

function addResults(
  { analysisCandles, signalUsages }: Database,
  uow: UnitOfWork,
  { _id }: AnalysisRun,
  { candles, usage }: RunResult,
): void {
  if (candles) uow.deferInsert(analysisCandles, { _id, ...packCandles(candles) });
  if (usage) uow.deferInsert(signalUsages, { _id, at: uow.at, ...usage });
}

/** The AI was not called, or did not answer. */
const wasFree = (end: RunResult): boolean =>
  !isAnalysed(end) && end.usage === undefined && !end.isRefusal;

/** Gives an analysis without an answer of the AI back to the user who asked first. */
async function uncountAnalysis(
  database: Database,
  { session }: UnitOfWork,
  { userId, createdAt }: AnalysisRun,
): Promise<void> {
  if (!userId) return;
  await database.users.updateOne(
    { _id: userId, "analyses.day": dayOf(createdAt), "analyses.count": { $gt: 0 } },
    { $inc: { "analyses.count": -1 } },
    { session },
  );
}

const isAnalysed = ({ status, result }: RunResult): boolean =>
  status === "completed" && result.analysis.source.analyst !== "none";

interface Finish {
  database: Database;
  run: AnalysisRun;
  end: RunResult;
  at: Date;
}

interface FinishedSignals {
  finished: SignalRecord[];
  hasMore: boolean;
}

interface FinishedAnalysisSignals extends FinishedSignals {
  /** It is a trade whose watchers wait for their signals. */
  isWatched: boolean;
}

const finishing = new BatchedWrite<Finish, FinishedAnalysisSignals | null>(finishAll);

/** @throws Error if one of several runs has lost its analysis; each is then finished alone */
async function finishAll(
  session: ClientSession,
  finishes: NonEmpty<Finish>,
): Promise<(FinishedAnalysisSignals | null)[]> {
  const [{ database, at }] = finishes;
  const updates = finishes.map(({ run, run: { _id, revision }, end }) => ({
    updateOne: {
      filter: { _id, status: "running", revision } as const,
      update: {
        $set: { ...analysisEnding(run, end, at), finishedAt: at, updatedAt: at },
        $unset: {
          ...(end.status === "failed" ? FREED_KEY : NO_USER),
          ...(!isTrade(end) && NO_FAN_OUT),
        },
      },
    },
  }));
  const { matchedCount } = await bulkUpdate(database.marketAnalyses, updates, session);
  if (matchedCount < finishes.length) {
    if (finishes.length > 1) throw new Error("One of several runs has lost its analysis.");
    return [null];
  }
  const ended = finishes.map(({ run, end }) => ({
    _id: run._id,
    symbol: run.symbol,
    finishedAt: at,
    status: end.status,
    result: end.result,
  }));
  const { finished, hasMore } = await finishSignals(database, session, ended, at);
  const watched = await findWatched(database, session, finishes);
  return ended.map(({ _id }) => ({
    finished: finished.filter(({ analysisId }) => analysisId.equals(_id)),
    hasMore,
    isWatched: watched.some((id) => id.equals(_id)),
  }));
}

/** The schedule may have marked an analysis while it ran. */
async function findWatched(
  { marketAnalyses }: Database,
  session: ClientSession,
  finishes: readonly Finish[],
): Promise<Types.ObjectId[]> {
  const trades = finishes.filter(({ run: { key }, end }) => key !== undefined && isTrade(end));
  if (trades.length === 0) return [];
  const ids = { $in: trades.map(({ run }) => run._id) };
  const watched = await marketAnalyses
    .find({ _id: ids, "fanOut.after": { $exists: true } })
    .select({ _id: 1 })
    .session(session)
    .lean();
  return watched.map(({ _id }) => _id);
}

const NO_USER = { userId: 1 } as const;
const NO_FAN_OUT = { fanOut: 1 } as const;
const FREED_KEY = { ...NO_USER, key: 1 } as const;

function analysisEnding({ timeframe }: AnalysisRun, end: RunResult, at: Date) {
  const { status, result, provenance, rejectedTrade, funding } = end;
  return {
    status,
    result,
    provenance,
    ...(isTrade(end) && { resolveAt: at, ...(funding && { funding }) }),
    ...(rejectedTrade && { rejectedTrade, judgeAt: firstLookAt(timeframe, at) }),
  };
}

const isTrade = ({ status, result }: RunResult): boolean =>
  status === "completed" && result.analysis.final_signal !== "WAIT";

interface EndedAnalysis
  extends Pick<AnalysisRun, "_id" | "symbol">,
    Pick<RunResult, "status" | "result"> {
  finishedAt: Date;
}

async function finishSignals(
  database: Database,
  session: ClientSession,
  ended: readonly EndedAnalysis[],
  at: Date,
): Promise<FinishedSignals> {
  const ids = ended.map(({ _id }) => _id);
  const unfinished = await database.signals
    .find({ analysisId: { $in: ids }, ...UNFINISHED })
    .limit(MAX_SIGNALS)
    .session(session)
    .lean();
  const endings = unfinished.map((signal) => {
    const analysis = ended.find(({ _id }) => _id.equals(signal.analysisId));
    if (!analysis) throw new Error("A signal of another analysis was read.");
    const sized = sizeAnalysis(analysis, signal);
    const ending = { status: analysis.status, analysis: sized, finishedAt: at, updatedAt: at };
    return { signal, ending };
  });
  if (endings.length > 0) {
    const updates = endings.map(({ signal: { _id }, ending }) => ({
      updateOne: { filter: { _id, ...UNFINISHED }, update: { $set: ending } },
    }));
    await bulkUpdate(database.signals, updates, session);
  }
  const finished = endings.map(({ signal, ending }): SignalRecord => ({ ...signal, ...ending }));
  const hasMore = finished.length === MAX_SIGNALS;
  if (!hasMore) await database.jobs.deleteMany({ _id: { $in: ids } }, { session });
  return { finished, hasMore };
}

export function announceFinished(uow: UnitOfWork, signals: readonly SignalRecord[]): void {
  for (const signal of signals) {
    const stream = userStream(signal.userId);
    uow.count(stream, "unfinishedSignals", -1);
    const event = signal.status === "completed" ? "signal:completed" : "signal:failed";
    uow.addEvent({ stream, requestId: signal.requestId }, event, presentSignal(signal));
  }
}

async function finishUnanalysed(
  database: Database,
  uow: UnitOfWork,
  signals: readonly SignalRecord[],
  { isRefusal = false }: RunResult,
): Promise<void> {
  for (const signal of signals) {
    const isCharged = isRefusal && (await hasUsedRefusalRefunds(database, uow, signal.userId));
    announceFinished(uow, [isCharged ? await warnOfCharge(database, uow, signal) : signal]);
    if (!isCharged) await refundCredit(database, uow, signal, isRefusal);
  }
}

/** Finishes the remaining signals of an analysis that has just been finished, and deletes the job of a deleted one. */
export async function finishOtherSignals(
  database: Database,
  analysisId: Types.ObjectId,
): Promise<void> {
  const analysis = await database.marketAnalyses
    .findById(analysisId)
    .select({ provenance: 0 })
    .lean();
  const { result, finishedAt, status } = analysis ?? {};
  const ended =
    analysis && result && finishedAt && (status === "completed" || status === "failed")
      ? [{ ...analysis, status, result, finishedAt }]
      : [];
  let hasMore = true;
  while (hasMore) {
    hasMore = await commit(database, { lockKeys: `analysis:${analysisId}` }, async (uow) => {
      if (ended.length === 0) {
        await database.jobs.deleteOne({ _id: analysisId }, { session: uow.session });
        return false;
      }
      // Conflicts with its fill, outcome and missed entry.
      await database.marketAnalyses.updateOne(
        { _id: analysisId },
        { $inc: { entryChecks: 1 } },
        { session: uow.session },
      );
      const signals = await finishSignals(database, uow.session, ended, uow.at);
      announceFinished(uow, signals.finished);
      return signals.hasMore;
    });
  }
}
