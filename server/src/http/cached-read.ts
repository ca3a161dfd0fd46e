import type { Database } from "@shared/database/database.ts";

interface ReadDeps {
  database: Database;
  now: () => Date;
}

/**
 * Caches the result of `read` per database. Errors and null are not cached.
 * @param maxAgeMs in milliseconds
 */
export function cachedRead<Deps extends ReadDeps, Value>(
  maxAgeMs: number,
  read: (deps: Deps) => Promise<Value>,
): (deps: Deps) => Promise<Value> {
  const kept = new WeakMap<Database, { readAt: number; value: Promise<Value> }>();
  return async (deps) => {
    const { database } = deps;
    const nowMs = deps.now().getTime();
    const last = kept.get(database);
    if (last && Math.abs(nowMs - last.readAt) < maxAgeMs) return last.value;
    const entry = { readAt: nowMs, value: read(deps) };
    kept.set(database, entry);
    const drop = () => kept.get(database) === entry && kept.delete(database);
    const value = await entry.value.catch((error: unknown) => {
      drop();
      throw error;
    });
    if (value === null) drop();
    return value;
  };
}
