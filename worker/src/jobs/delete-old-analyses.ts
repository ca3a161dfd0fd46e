import { DAY_MS } from "@shared/contract/constants.ts";
import { type Database, readEach } from "@shared/database/database.ts";
import type { MarketAnalysisRecord } from "@shared/database/models/market-analysis.ts";
import { PENDING_DAY } from "@shared/database/models/performance.ts";
import type { QueryFilter, Types } from "mongoose";
import type { WorkerDeps } from "../worker-deps.ts";

type RetentionDeps = Pick<WorkerDeps, "database" | "now"> & {
  retentionDays: number;
  abort: AbortSignal;
};

type AnalysisFilter = QueryFilter<MarketAnalysisRecord>;

const BATCH_SIZE = 500;

/** Without a trade, nothing public needs more of an analysis than its ledger record and the totals of its day. */
const WITHOUT_TRADE: AnalysisFilter = {
  $or: [
    { status: "failed" },
    { "result.analysis.final_signal": "WAIT", ledgerSeq: { $exists: true } },
  ],
};

/** The figures and the outcome of a trade stay, since the public record lists it. */
const TRADE: AnalysisFilter = {
  outcome: { $exists: true },
  outcomeLedgerSeq: { $exists: true },
  provenance: { $exists: true },
};

/**
 * Deletes analyses older than the retention that no signal refers to. Of those whose trade is in the public record, deletes
 * what only `reproduce` needs. May be interrupted and repeated.
 */
export async function deleteOldAnalyses(
  deps: RetentionDeps,
): Promise<{ deleted: number; reduced: number }> {
  const { database } = deps;
  const { marketAnalyses, analysisCandles } = database;
  const isOld = {
    status: { $in: ["completed", "failed"] as const satisfies MarketAnalysisRecord["status"][] },
    finishedAt: { $lt: await findCutoff(deps) },
    countedOn: { $exists: true, $ne: PENDING_DAY },
  };
  let deleted = 0;
  for await (const _id of unusedBatches(deps, { ...isOld, ...WITHOUT_TRADE })) {
    // The analysis last, so that the next run finds what an interrupted one left.
    await analysisCandles.deleteMany({ _id });
    deleted += (await marketAnalyses.deleteMany({ _id })).deletedCount;
  }
  let reduced = 0;
  for await (const _id of unusedBatches(deps, { ...isOld, ...TRADE })) {
    await analysisCandles.deleteMany({ _id });
    const { modifiedCount } = await marketAnalyses.updateMany(
      { _id },
      { $unset: { provenance: 1 } },
    );
    reduced += modifiedCount;
  }
  return { deleted, reduced };
}

/** The start of a day. The totals of a day on which a trade may still end are built from all its analyses again. */
async function findCutoff({ database, now, retentionDays }: RetentionDeps): Promise<Date> {
  const oldestOpen = await database.marketAnalyses
    .findOne({
      status: "completed",
      "result.analysis.final_signal": { $in: ["BUY", "SELL"] },
      outcome: null,
    })
    .sort({ finishedAt: 1 })
    .select({ finishedAt: 1 })
    .lean();
  const oldestWait = await database.marketAnalyses
    .findOne({ judgeAt: { $exists: true } })
    .sort({ finishedAt: 1 })
    .select({ finishedAt: 1 })
    .lean();
  const end = now().getTime() - retentionDays * DAY_MS;
  const openSince = Math.min(
    ...[oldestOpen, oldestWait].map((open) => open?.finishedAt?.getTime() ?? end),
  );
  return new Date(Math.floor(Math.min(end, openSince) / DAY_MS) * DAY_MS);
}

/** The ids of the analyses that match and that no signal refers to, oldest first. */
async function* unusedBatches(
  { database, abort }: RetentionDeps,
  filter: AnalysisFilter,
): AsyncGenerator<{ $in: Types.ObjectId[] }> {
  const found = database.marketAnalyses
    .find(filter)
    .select({ _id: 1 })
    .sort({ finishedAt: 1 })
    .batchSize(BATCH_SIZE)
    .lean();
  let ids: Types.ObjectId[] = [];
  for await (const { _id } of readEach(found)) {
    ids.push(_id);
    if (ids.length < BATCH_SIZE) continue;
    abort.throwIfAborted();
    yield await withoutUsed(database, ids);
    ids = [];
  }
  if (ids.length > 0) yield await withoutUsed(database, ids);
}

async function withoutUsed(
  { signals }: Database,
  ids: readonly Types.ObjectId[],
): Promise<{ $in: Types.ObjectId[] }> {
  const used = await signals.distinct("analysisId", { analysisId: { $in: [...ids] } });
  const names = new Set(used.map(String));
  return { $in: ids.filter((id) => !names.has(id.toString())) };
}
