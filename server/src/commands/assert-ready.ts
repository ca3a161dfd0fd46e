import { unavailable } from "../errors.ts";
import type { ServerDeps } from "../server-deps.ts";

const PING_TIMEOUT_MS = 2_000;

/**
 * Checks that this process can serve: the database answers, and committed events arrive.
 * @throws AppError unavailable, within two seconds
 */
export async function assertReady(
  deps: Pick<ServerDeps, "database" | "feedIsRunning">,
): Promise<void> {
  if (!deps.feedIsRunning()) throw unavailable();
  const db = deps.database.connection.getClient().db();
  try {
    await db.command({ ping: 1 }, { signal: AbortSignal.timeout(PING_TIMEOUT_MS) });
  } catch (error) {
    throw unavailable(error);
  }
}
