import type { Admin, AdminDeps } from "./admin-change.ts";
import { clearHistoryOf } from "./clear-history.ts";

/** Users whose histories are deleted at the same time, each in transactions of its own. */
const USERS_AT_A_TIME = 8;

/**
 * Deletes the finished signals of all users. If it is interrupted, calling it again goes on with what is left.
 * @returns how many signals are gone, and of how many users
 */
export async function clearAllHistory(
  deps: AdminDeps,
  { admin }: { admin: Admin },
): Promise<{ deleted: number; users: number }> {
  const userIds = await deps.database.signals.distinct("userId", {
    status: { $in: ["completed", "failed"] },
  });
  const total = { deleted: 0, users: 0 };
  for (let start = 0; start < userIds.length; start += USERS_AT_A_TIME) {
    const batch = userIds.slice(start, start + USERS_AT_A_TIME);
    const counts = await Promise.all(
      batch.map((userId) => clearHistoryOf(deps, { admin, userId })),
    );
    for (const deleted of counts.filter((count) => count > 0)) {
      total.deleted += deleted;
      total.users += 1;
    }
  }
  return total;
}
