import type { ClientSession, Connection } from "mongoose";
import { withLocks } from "./locks.ts";

/** A first attempt came to nothing because somebody else changed the same documents meanwhile. */
class CollisionError extends Error {
  override readonly name = "CollisionError";
}

/**
 * Key of the transactions of this process that have collided: from their second attempt on they take turns. All at
 * once they would go on hindering each other, with one winner per round.
 */
const COLLIDED = "collided transactions";

/**
 * Runs `attempt` in a transaction, again from the start when it collides with somebody else's.
 * @param options.serializeOn transactions of this process that share one of these keys wait for each other
 */
export function runTransaction<Result>(
  database: { connection: Connection },
  options: {
    serializeOn: readonly string[];
    attempt: (session: ClientSession) => Promise<Result>;
  },
): Promise<Result> {
  const { serializeOn, attempt } = options;
  const run = (work: typeof attempt): Promise<Result> =>
    database.connection
      .getClient()
      .withSession((session) => session.withTransaction(() => work(session)));
  return withLocks(database, serializeOn, async () => {
    try {
      return await run(onlyOnce(attempt));
    } catch (error) {
      if (!(error instanceof CollisionError)) throw error;
      return withLocks(database, [COLLIDED], () => run(attempt));
    }
  });
}

function onlyOnce<Result>(attempt: (session: ClientSession) => Promise<Result>): typeof attempt {
  let isFirst = true;
  return async (session) => {
    if (!isFirst) throw new CollisionError();
    isFirst = false;
    return attempt(session);
  };
}
