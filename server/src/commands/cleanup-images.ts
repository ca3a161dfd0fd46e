import type { CleanupResult } from "@shared/contract/files.ts";
import { cleanUpFiles } from "@shared/node/files/clean-up-files.ts";
import type { Admin, AdminDeps } from "./admin-change.ts";

/** Does at once what is done every night: chart images that are outdated or belong to no signal are deleted. */
export async function cleanupImages(
  { database, now }: AdminDeps,
  { admin }: { admin: Admin },
): Promise<CleanupResult> {
  const deleted = await cleanUpFiles({ database, now, actor: admin.username });
  return { detail: `${deleted} chart ${deleted === 1 ? "image" : "images"} deleted.`, deleted };
}
