import Router from "@koa/router";
import { SIGNAL_LIMITS, TIMEOUTS_MS } from "@shared/contract/constants.ts";
import { signalRequestSchema } from "@shared/contract/signal.ts";
import { TEXTS } from "@shared/contract/texts.ts";
import { AppError } from "@shared/node/app-error.ts";
import { presentSignal } from "@shared/node/signals/present-signal.ts";
import { z } from "zod";
import { type AppContext, type AppRouter, type AppState, sessionOf } from "../app-context.ts";
import { findSignal, readSignalCandles } from "../commands/find-signal.ts";
import { historyQuerySchema, listSignals } from "../commands/list-signals.ts";
import { requestSignal } from "../commands/request-signal.ts";
import { requireApproved, requireUser } from "../middleware/authenticate.ts";
import { parseInput } from "../middleware/parse-input.ts";
import type { ServerDeps } from "../server-deps.ts";

const headersSchema = z.object({
  "idempotency-key": z
    .string()
    .min(1)
    .max(SIGNAL_LIMITS.idempotencyKeyLength, { error: "Use at most 64 characters." })
    .regex(/^[\x21-\x7e]+$/, { error: "Use visible ASCII characters only." })
    .optional(),
  prefer: z.string().default(""),
});

/** RFC 7240: preferences are separated by commas, their names without regard to case. */
const prefersAsync = (prefer: string): boolean =>
  prefer.split(",").some((preference) => preference.trim().toLowerCase() === "respond-async");

/** Asking for signals, and reading them. */
export function createSignalRoutes(deps: ServerDeps): AppRouter {
  const router = new Router<AppState>();
  const approved = [requireUser(deps), requireApproved()];

  router.post("/get-signal", ...approved, async (ctx) => {
    const headers = parseInput(headersSchema, ctx.headers);
    const signal = await requestSignal(deps, {
      user: sessionOf(ctx).user,
      request: parseInput(signalRequestSchema, ctx.request.body),
      idempotencyKey: headers["idempotency-key"],
    });
    const signalId = signal._id.toString();
    ctx.set("Location", `/signals/${signalId}`);
    if (prefersAsync(headers.prefer)) {
      ctx.status = 202;
      ctx.set("Preference-Applied", "respond-async");
      ctx.body = { signal_id: signalId, status: signal.status };
      return;
    }
    await answerWhenFinished(deps, ctx, signalId);
  });

  router.get("/signals/:id", ...approved, async (ctx) => {
    ctx.body = presentSignal(await findSignal(deps, sessionOf(ctx).user, ctx.params.id));
  });

  router.get("/signals/:id/candles", ...approved, async (ctx) => {
    ctx.body = await readSignalCandles(deps, sessionOf(ctx).user, ctx.params.id);
  });

  router.get("/signal-history", ...approved, async (ctx) => {
    const query = parseInput(historyQuerySchema, ctx.query);
    ctx.body = await listSignals(deps.database, sessionOf(ctx).user, query);
  });

  return router;
}

async function answerWhenFinished(
  deps: ServerDeps,
  ctx: AppContext,
  signalId: string,
): Promise<void> {
  const gone = new AbortController();
  ctx.res.once("close", () => gone.abort());
  const finished = await deps.signalWaiters.wait(signalId, {
    timeoutMs: TIMEOUTS_MS.signal,
    abort: gone.signal,
  });
  if (!finished) throw new AppError("timeout", TEXTS.requestTimeout);
  ctx.body = presentSignal(await findSignal(deps, sessionOf(ctx).user, signalId));
}
