import type { AppMiddleware } from "../app-context.ts";
import { queueNotOpen } from "../errors.ts";
import { findVisit } from "../queue-page/queue-passes.ts";
import { visitCookie } from "../queue-page/visit-cookie.ts";
import type { ServerDeps } from "../server-deps.ts";

/**
 * Lets only browsers pass in which an administrator has opened the job queue, and leaves the session that he opened it
 * from in `ctx.state`. A token does not do: the page's requests are those of a browser.
 */
export function requireQueueVisit(deps: Pick<ServerDeps, "database" | "now">): AppMiddleware {
  return async (ctx, next) => {
    const secret = visitCookie(ctx);
    if (secret === undefined) throw queueNotOpen();
    ctx.state.session = await findVisit(deps, secret);
    await next();
  };
}
