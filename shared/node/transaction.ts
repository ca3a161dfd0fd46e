import type { ClientSession, Connection } from "mongoose";

/** The transaction came to nothing because somebody else changed the same documents meanwhile. */
export class CollisionError extends Error {
  override readonly name = "CollisionError";
}

/**
 * Runs `attempt` in a transaction, once. The driver itself would start over after a collision, with waits that grow
 * up to 500 ms: whoever collides with a process that commits one change after the other would hardly ever hit a
 * moment between two.
 * @returns what `attempt` results in; null if it came to nothing because of a collision
 */
export async function runTransaction<Result>(
  database: { connection: Connection },
  attempt: (session: ClientSession) => Promise<Result>,
): Promise<{ result: Result } | null> {
  let isFirst = true;
  const onlyOnce = (session: ClientSession): Promise<Result> => {
    if (!isFirst) throw new CollisionError();
    isFirst = false;
    return attempt(session);
  };
  try {
    const result = await database.connection
      .getClient()
      .withSession((session) => session.withTransaction(async () => onlyOnce(session)));
    return { result };
  } catch (error) {
    if (error instanceof CollisionError) return null;
    throw error;
  }
}
