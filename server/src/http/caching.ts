import { createHash } from "node:crypto";
import type { Database } from "@shared/database/database.ts";
import type { AppContext } from "./context.ts";

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

/** The body with its `ETag`; nothing and status 304 for a client that has it. */
export function unlessKnown<Body>(ctx: AppContext, body: Body): Body | undefined {
  ctx.etag = createHash("sha256").update(JSON.stringify(body)).digest("base64url");
  if (!isKnownToClient(ctx)) return body;
  ctx.status = 304;
  return undefined;
}

/** Not `ctx.fresh`: it ignores the tag if the client also sends `Cache-Control: no-cache`, as `fetch` may. */
function isKnownToClient(ctx: AppContext): boolean {
  const tags = ctx.get("If-None-Match").split(",");
  return tags.some((tag) => tag.trim().replace(/^W\//, "") === ctx.response.get("ETag"));
}
