import { DAY_MS } from "@shared/contract/constants.ts";
import type { WorkerDeps } from "../worker-deps.ts";

/**
 * Deletes analyses of the bench older than the retention. The ledger has those that count, and the sums of their days stay.
 * @returns how many
 */
export async function deleteOldShadows({
  database,
  now,
  retentionDays,
}: Pick<WorkerDeps, "database" | "now"> & { retentionDays: number }): Promise<number> {
  const before = new Date(now().getTime() - retentionDays * DAY_MS);
  const isOver = [
    { status: "failed" as const },
    { "result.analysis.final_signal": "WAIT", ledgerSeq: { $exists: true } },
    { outcomeLedgerSeq: { $exists: true } },
  ];
  const { deletedCount } = await database.shadowAnalyses.deleteMany({
    finishedAt: { $lt: before },
    isCounted: true,
    $or: isOver,
  });
  return deletedCount;
}
