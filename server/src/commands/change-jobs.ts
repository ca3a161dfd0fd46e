import type { JobAction } from "@shared/contract/events.ts";
import { AppError } from "@shared/node/app-error.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import type { JobsChanged } from "../queue-page/queue-answers.ts";
import type { ServerDeps } from "../server-deps.ts";
import { type Admin, type AdminDeps, commitAdminChange } from "./admin-change.ts";

/**
 * Changes jobs of the queue. It is written down before it is done, because Agenda takes no part in transactions: of what
 * the audit trail names, the last thing may have failed, but nothing is done that it does not name.
 * @throws AppError not-found if none of the jobs is in the queue any more
 */
export async function changeJobs(
  deps: AdminDeps & Pick<ServerDeps, "queueView">,
  order: { admin: Admin; action: JobAction; jobIds: readonly string[] },
): Promise<JobsChanged> {
  const { admin, action, jobIds } = order;
  const found = await deps.queueView.namesOf(jobIds);
  if (found.length === 0) {
    throw new AppError("not-found", "These jobs are no longer in the queue.");
  }
  const names = [...new Set(found)].toSorted().join(", ");
  await commitAdminChange(deps, { admin, lockKeys: ADMINS_STREAM }, async (uow) =>
    uow.addEvent(ADMINS_STREAM, "queue:changed", { action, jobs: found.length, names }),
  );
  return deps.queueView.change(action, jobIds);
}
