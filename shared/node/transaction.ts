import { setTimeout as delay } from "node:timers/promises";
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
 * Longest wait before a collided transaction is tried again. The driver's own waits grow up to 500 ms: whoever
 * collides with a process that commits one change after the other would hardly ever hit a moment between two.
 */
const RETRY_WITHIN_MS = 10;

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
    const first = await unlessCollided(() => run(onlyOnce(attempt)));
    if (first) return first.result;
    return withLocks(database, [COLLIDED], async () => {
      for (;;) {
        await delay(Math.random() * RETRY_WITHIN_MS);
        const done = await unlessCollided(() => run(onlyOnce(attempt)));
        if (done) return done.result;
      }
    });
  });
}

/** What `run` results in; null if it came to nothing because of a collision. */
async function unlessCollided<Result>(
  run: () => Promise<Result>,
): Promise<{ result: Result } | null> {
  try {
    return { result: await run() };
  } catch (error) {
    if (error instanceof CollisionError) return null;
    throw error;
  }
}

function onlyOnce<Result>(attempt: (session: ClientSession) => Promise<Result>): typeof attempt {
  let isFirst = true;
  return async (session) => {
    if (!isFirst) throw new CollisionError();
    isFirst = false;
    return attempt(session);
  };
}
