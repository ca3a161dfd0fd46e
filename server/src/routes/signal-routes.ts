import Router from "@koa/router";
import { SIGNAL_LIMITS, TIMEOUTS_MS } from "@shared/contract/constants.ts";
import { type SignalResponse, signalRequestSchema } from "@shared/contract/signal.ts";
import { TEXTS } from "@shared/contract/texts.ts";
import { AppError } from "@shared/node/app-error.ts";
import type { SignalRecord } from "@shared/node/models/signal.ts";
import { presentSignal } from "@shared/node/signals/present-signal.ts";
import { z } from "zod";
import {
  type AppContext,
  type AppMiddleware,
  type AppRouter,
  type AppState,
  sessionOf,
} from "../app-context.ts";
import { findSignal, readSignalCandles } from "../commands/find-signal.ts";
import { historyQuerySchema, listSignals } from "../commands/list-signals.ts";
import { requestSignal } from "../commands/request-signal.ts";
import {
  assertMaySendImage,
  requestSignalWithImage,
} from "../commands/request-signal-with-image.ts";
import { missingFile, receiveUpload, uploadedFile } from "../files/receive-upload.ts";
import { requireApproved, requireUser } from "../middleware/authenticate.ts";
import { parseInput } from "../middleware/parse-input.ts";
import { rateLimits } from "../middleware/rate-limit-rules.ts";
import type { ServerDeps } from "../server-deps.ts";

/** Headers of a request for a signal. */
export const headersSchema = z.object({
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

/** A reason of its own costs less than the one that would be made anew for each answer. */
const CLIENT_GONE = "the client is gone";

const IMAGE_FIELD = "chart_image";

/** Asking for signals, and reading them. */
export function createSignalRoutes(deps: ServerDeps): AppRouter {
  const router = new Router<AppState>();
  const approved = [requireUser(deps), requireApproved()];
  const limits = rateLimits(deps, "getSignal");

  router.post("/get-signal", ...approved, ...limits, async (ctx) => {
    const headers = parseInput(headersSchema, ctx.headers);
    const signal = await requestSignal(deps, {
      user: sessionOf(ctx).user,
      request: parseInput(signalRequestSchema, ctx.request.body),
      idempotencyKey: headers["idempotency-key"],
      requestId: ctx.state.requestId,
    });
    await answer(deps, ctx, { ...headers, signal, timeoutMs: TIMEOUTS_MS.signal });
  });

  router.post(
    "/get-signal-with-image",
    ...approved,
    requirePermissionForImage(deps),
    ...limits,
    receiveUpload(IMAGE_FIELD),
    async (ctx) => {
      const headers = parseInput(headersSchema, ctx.headers);
      const request = parseInput(signalRequestSchema, ctx.request.body);
      const chartImage = uploadedFile(ctx);
      if (!chartImage) throw missingFile(IMAGE_FIELD, "Attach a chart image.");
      const signal = await requestSignalWithImage(deps, {
        user: sessionOf(ctx).user,
        request,
        idempotencyKey: headers["idempotency-key"],
        requestId: ctx.state.requestId,
        chartImage,
      });
      await answer(deps, ctx, { ...headers, signal, timeoutMs: TIMEOUTS_MS.signalWithImage });
    },
  );

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

/** Turns away whoever may not send an image, or cannot pay for it, before it is received. */
function requirePermissionForImage(deps: ServerDeps): AppMiddleware {
  return async (ctx, next) => {
    const headers = parseInput(headersSchema, ctx.headers);
    await assertMaySendImage(deps, {
      user: sessionOf(ctx).user,
      idempotencyKey: headers["idempotency-key"],
    });
    await next();
  };
}

/**
 * Answers an accepted request: at once where that is preferred, else with the finished signal. The answer at once is the
 * same whether or not the signal is finished already.
 */
async function answer(
  deps: ServerDeps,
  ctx: AppContext,
  accepted: { signal: SignalRecord; prefer: string; timeoutMs: number },
): Promise<void> {
  const { signal, prefer, timeoutMs } = accepted;
  const signalId = signal._id.toString();
  ctx.set("Location", `/signals/${signalId}`);
  if (prefersAsync(prefer)) {
    ctx.status = 202;
    ctx.set("Preference-Applied", "respond-async");
    ctx.body = { signal_id: signalId, status: "queued" };
    return;
  }
  const isFinished = signal.status === "completed" || signal.status === "failed";
  ctx.body = isFinished
    ? presentSignal(signal)
    : await waitUntilFinished(deps, ctx, { signalId, timeoutMs });
}

async function waitUntilFinished(
  deps: ServerDeps,
  ctx: AppContext,
  { signalId, timeoutMs }: { signalId: string; timeoutMs: number },
): Promise<SignalResponse> {
  const gone = new AbortController();
  ctx.res.once("close", () => gone.abort(CLIENT_GONE));
  const finished = await deps.signalWaiters.wait(signalId, { timeoutMs, abort: gone.signal });
  if (!finished) throw new AppError("timeout", TEXTS.requestTimeout);
  return finished;
}
