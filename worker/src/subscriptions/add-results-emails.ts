import { accessFilter } from "@shared/domain/access.ts";
import { readBranding } from "@shared/domain/branding.ts";
import { addResultsEmail, lastMonthAt } from "@shared/domain/results-email.ts";
import { commit } from "@shared/outbox/commit.ts";
import type { Types } from "mongoose";
import type { WorkerDeps } from "../worker-deps.ts";

/** Users in one transaction. They stay locked until it ends. */
const BATCH_SIZE = 100;

/**
 * Adds the emails about the last month, one for each user who wants it and has access. May run late, and on several workers
 * at once.
 * @returns how many were added
 */
export async function addResultsEmails({
  database,
  now,
  abort,
}: Pick<WorkerDeps, "database" | "now"> & { abort: AbortSignal }): Promise<number> {
  const at = now();
  const { time_zone: timeZone } = await readBranding(database);
  const month = lastMonthAt(at, timeZone);
  const due = {
    "resultsEmail.isOn": true,
    "resultsEmail.lastMonth": { $lt: month },
    emailVerified: true,
    ...accessFilter(at),
  };
  const findDue = () => database.users.find(due).limit(BATCH_SIZE).select({ _id: 1 });
  const addBatch = (): Promise<Types.ObjectId[]> =>
    commit(database, { lockKeys: "results-emails", now }, async (uow) => {
      const { session } = uow;
      const ids = (await findDue().session(session).lean()).map(({ _id }) => _id);
      const done = { $set: { "resultsEmail.lastMonth": month } };
      await database.users.updateMany({ _id: { $in: ids } }, done, { session });
      for (const userId of ids) addResultsEmail(database, uow, { userId, month });
      return ids;
    });
  let added = 0;
  // Most of the time there are none, which needs no transaction.
  while (!abort.aborted && (await findDue().lean()).length > 0) added += (await addBatch()).length;
  return added;
}
