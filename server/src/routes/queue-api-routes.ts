import { Readable } from "node:stream";
import Router from "@koa/router";
import { jobActionSchema } from "@shared/contract/events.ts";
import { findActiveWorkers } from "@shared/node/active-workers.ts";
import { z } from "zod";
import { type AppRouter, type AppState, sessionOf } from "../app-context.ts";
import { changeJobs } from "../commands/change-jobs.ts";
import { requireAdmin } from "../middleware/authenticate.ts";
import { parseInput } from "../middleware/parse-input.ts";
import { requireQueueVisit } from "../middleware/require-queue-visit.ts";
import { sameOrigin } from "../middleware/same-origin.ts";
import { assertAdmin } from "../policies/account-policies.ts";
import { jobQuerySchema, jobSelectionSchema } from "../queue-page/queue-answers.ts";
import { findVisit } from "../queue-page/queue-passes.ts";
import { QUEUE_PATH, visitCookie } from "../queue-page/visit-cookie.ts";
import type { ServerDeps } from "../server-deps.ts";

export const jobActionParamsSchema = z.object({ action: jobActionSchema });

/**
 * What Agendash's pages call, answered through Agendash's own controller. Its middlewares are left out: they tell their
 * callers what the database says, check no input, and let jobs be made up.
 */
export function createQueueApiRoutes(deps: ServerDeps): AppRouter {
  const { queueView } = deps;
  const router = new Router<AppState>();
  const asVisitor = [requireQueueVisit(deps), requireAdmin()];
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
    const secret = visitCookie(ctx) ?? "";
    ctx.type = "text/event-stream";
    ctx.body = Readable.from(queueView.events(() => mayStay(deps, secret)));
  });
  router.post(`${api}/jobs/:action`, ...asVisitor, sameOrigin(deps), async (ctx) => {
    const { action } = parseInput(jobActionParamsSchema, ctx.params);
    const { jobIds } = parseInput(jobSelectionSchema, ctx.request.body);
    const { user: admin } = sessionOf(ctx);
    ctx.body = await changeJobs(deps, { admin, action, jobIds });
  });
  return router;
}

/** Whether a page that has been open for a while may still see the queue. */
async function mayStay(deps: ServerDeps, secret: string): Promise<boolean> {
  try {
    assertAdmin((await findVisit(deps, secret)).user);
    return true;
  } catch (error) {
    deps.logger.info({ err: error }, "a page of the queue was closed");
    return false;
  }
}
