import Router from "@koa/router";
import { SIGNAL_LIMITS, TIMEOUTS_MS } from "@shared/contract/constants.ts";
import { MESSAGES } from "@shared/contract/messages.ts";
import { type SignalResponse, signalRequestSchema } from "@shared/contract/signal.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import { presentSignal } from "@shared/domain/present-signal.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { z } from "zod";
import { requireApproved, requireUser } from "../../http/access.ts";
import {
  type AppContext,
  type AppMiddleware,
  type AppRouter,
  type AppState,
  sessionOf,
} from "../../http/context.ts";
import { rateLimits } from "../../http/rate-limits.ts";
import { parseInput } from "../../http/request-input.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { missingFile, parseUpload, uploadedFile } from "../files/parse-upload.ts";
import {
  findSignal,
  getSignalProgress,
  historyQuerySchema,
  listSignals,
  readSignalCandles,
} from "./queries.ts";
import { requestSignal } from "./request-signal.ts";
import { assertMaySendImage, requestSignalWithImage } from "./request-signal-with-image.ts";
import { createShareLink, readSharedSignal, revokeShareLink } from "./share-signal.ts";

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
    parseUpload(IMAGE_FIELD),
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
  if (!finished) throw new AppError("timeout", MESSAGES.requestTimeout);
  return finished;
}

/** What became of one signal, and showing it to others. */
export function createSignalPageRoutes(deps: ServerDeps): AppRouter {
  const router = new Router<AppState>();
  const approved = [requireUser(deps), requireApproved()];

  router.get("/signals/:id/since", ...approved, async (ctx) => {
    ctx.body = await getSignalProgress(deps, sessionOf(ctx).user, ctx.params.id);
  });

  router.post("/signals/:id/share", ...approved, async (ctx) => {
    ctx.status = 201;
    ctx.body = await createShareLink(deps, sessionOf(ctx).user, ctx.params.id);
  });

  router.delete("/signals/:id/share", ...approved, async (ctx) => {
    await revokeShareLink(deps, sessionOf(ctx).user, ctx.params.id);
    ctx.body = { detail: "The link to this signal does not work any more." };
  });

  router.get("/shared/:token", async (ctx) => {
    ctx.set("X-Robots-Tag", "noindex");
    ctx.body = await readSharedSignal(deps, ctx.params.token ?? "");
  });

  return router;
}
