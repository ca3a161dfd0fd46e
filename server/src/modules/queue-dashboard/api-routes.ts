import { Readable } from "node:stream";
import Router from "@koa/router";
import { type JobAction, jobActionSchema } from "@shared/contract/events.ts";
import { findActiveWorkers } from "@shared/domain/active-workers.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { z } from "zod";
import { assertAdmin, requireAdmin } from "../../http/access.ts";
import {
  type AppMiddleware,
  type AppRouter,
  type AppState,
  sessionOf,
} from "../../http/context.ts";
import { parseInput } from "../../http/request-input.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { type Admin, type AdminDeps, commitAsAdmin } from "../admin/audit-trail.ts";
import { type JobsChanged, jobQuerySchema, jobSelectionSchema } from "./agendash-schemas.ts";
import {
  dashboardCookie,
  findDashboardSession,
  QUEUE_PATH,
  requireDashboardAccess,
} from "./dashboard-access.ts";

export const jobActionParamsSchema = z.object({ action: jobActionSchema });

/**
 * What Agendash's pages call, answered through Agendash's own controller. Its middlewares are left out: they tell their
 * callers what the database says, check no input, and let jobs be made up.
 */
export function createQueueApiRoutes(deps: ServerDeps): AppRouter {
  const { queueView } = deps;
  const router = new Router<AppState>();
  const asVisitor = [requireDashboardAccess(deps), requireAdmin()];
  const api = `${QUEUE_PATH}/api`;

  router.get(api, ...asVisitor, async (ctx) => {
    ctx.body = await queueView.list(parseInput(jobQuerySchema, ctx.query));
  });
  router.get(`${api}/stats`, ...asVisitor, async (ctx) => {
    const workers = await findActiveWorkers(deps.database);
    const capacity = workers.reduce((sum, { concurrency }) => sum + concurrency, 0);
    ctx.body = await queueView.figures(capacity);
  });
  router.get(`${api}/events`, ...asVisitor, (ctx) => {
    const secret = dashboardCookie(ctx) ?? "";
    ctx.type = "text/event-stream";
    ctx.body = Readable.from(queueView.events(() => mayStay(deps, secret)));
  });
  router.post(`${api}/jobs/:action`, ...asVisitor, sameOrigin(deps), async (ctx) => {
    const { action } = parseInput(jobActionParamsSchema, ctx.params);
    const { jobIds } = parseInput(jobSelectionSchema, ctx.request.body);
    const { user: admin } = sessionOf(ctx);
    ctx.body = await manageJobs(deps, { admin, action, jobIds });
  });
  return router;
}

/** Whether a page that has been open for a while may still see the queue. */
async function mayStay(deps: ServerDeps, secret: string): Promise<boolean> {
  try {
    assertAdmin((await findDashboardSession(deps, secret)).user);
    return true;
  } catch (error) {
    deps.logger.info({ err: error }, "a page of the queue was closed");
    return false;
  }
}

/**
 * Changes jobs of the queue. It is written down before it is done, because Agenda takes no part in transactions: of what
 * the audit trail names, the last thing may have failed, but nothing is done that it does not name.
 * @throws AppError not-found if none of the jobs is in the queue any more
 */
async function manageJobs(
  deps: AdminDeps & Pick<ServerDeps, "queueView">,
  order: { admin: Admin; action: JobAction; jobIds: readonly string[] },
): Promise<JobsChanged> {
  const { admin, action, jobIds } = order;
  const found = await deps.queueView.namesOf(jobIds);
  if (found.length === 0) {
    throw new AppError("not-found", "These jobs are no longer in the queue.");
  }
  const names = [...new Set(found)].toSorted().join(", ");
  await commitAsAdmin(deps, { admin, lockKeys: ADMINS_STREAM }, async (uow) =>
    uow.addEvent(ADMINS_STREAM, "queue:changed", { action, jobs: found.length, names }),
  );
  return deps.queueView.change(action, jobIds);
}

/**
 * Refuses changes that a page of another origin asks for: browsers send a cookie along with them too, and always say
 * where they come from. Our own origin is the address that browsers are told; and since the same server may be reached
 * by others and TLS may end before us, the host that was asked.
 */
function sameOrigin({ settings }: Pick<ServerDeps, "settings">): AppMiddleware {
  const known = new URL(settings.VITE_API_URL).host;
  return (ctx, next) => {
    const origin = ctx.get("Origin");
    const host = URL.canParse(origin) ? new URL(origin).host : "";
    if (host === "" || (host !== known && host !== ctx.host)) {
      throw new AppError("foreign-origin", "This can only be done on the page of the queue.");
    }
    return next();
  };
}
