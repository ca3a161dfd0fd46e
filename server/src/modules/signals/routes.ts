import { TIMEOUTS_MS } from "@shared/contract/constants.ts";
import { MESSAGES } from "@shared/contract/messages.ts";
import { type signalHeadersSchema, signalRoutes } from "@shared/contract/routes/signal-routes.ts";
import type { SignalAccepted, SignalResponse } from "@shared/contract/signal.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import { presentSignal } from "@shared/domain/present-signal.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import type { z } from "zod";
import { type AppContext, forRequest, sessionOf } from "../../http/context.ts";
import { type BoundRoute, handle } from "../../http/router.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { findSignal, getSignalProgress, listSignals, readSignalCandles } from "./queries.ts";
import { requestSignal } from "./request-signal.ts";
import { assertMaySendImage, requestSignalWithImage } from "./request-signal-with-image.ts";
import { createShareLink, readSharedSignal, revokeShareLink } from "./share-signal.ts";

type SignalHeaders = z.infer<typeof signalHeadersSchema>;

/** Requests for signals. */
export const createSignalRequestRoutes = (deps: ServerDeps): BoundRoute[] => [
  handle(signalRoutes.requestSignal, async ({ body, headers }, ctx) => {
    const signal = await requestSignal(deps, { ...inputOf(ctx, headers), request: body });
    return respond(deps, ctx, { ...headers, signal, timeoutMs: TIMEOUTS_MS.signal });
  }),
  handle(
    signalRoutes.requestSignalWithImage,
    async ({ body, headers, files }, ctx) => {
      const signal = await requestSignalWithImage(deps, {
        ...inputOf(ctx, headers),
        request: body,
        chartImage: files.chart_image,
      });
      return respond(deps, ctx, { ...headers, signal, timeoutMs: TIMEOUTS_MS.signalWithImage });
    },
    {
      check: (ctx) =>
        assertMaySendImage(deps, inputOf(ctx, { "idempotency-key": ctx.get("Idempotency-Key") })),
    },
  ),
];

const inputOf = (ctx: AppContext, headers: Pick<SignalHeaders, "idempotency-key">) => ({
  user: sessionOf(ctx).user,
  idempotencyKey: headers["idempotency-key"],
  requestId: ctx.state.requestId,
});

/** RFC 7240: preferences are separated by commas, and their names are case-insensitive. */
const prefersAsync = (prefer: string): boolean =>
  prefer.split(",").some((preference) => preference.trim().toLowerCase() === "respond-async");

/** The body is the same for asynchronous requests whether or not the signal is already finished. */
function respond(
  deps: ServerDeps,
  ctx: AppContext,
  accepted: { signal: SignalRecord; prefer: string; timeoutMs: number },
): SignalAccepted | SignalResponse | Promise<SignalResponse> {
  const { signal, prefer, timeoutMs } = accepted;
  const signalId = signal._id.toString();
  ctx.set("Location", `/signals/${signalId}`);
  if (prefersAsync(prefer)) {
    ctx.status = 202;
    ctx.set("Preference-Applied", "respond-async");
    return { signal_id: signalId, status: "queued" };
  }
  const isFinished = signal.status === "completed" || signal.status === "failed";
  return isFinished ? presentSignal(signal) : waitUntilFinished(deps, ctx, { signalId, timeoutMs });
}

/** A constant reason is cheaper than the error that would be created for each response. */
const CLIENT_DISCONNECTED = "the client disconnected";

async function waitUntilFinished(
  deps: ServerDeps,
  ctx: AppContext,
  { signalId, timeoutMs }: { signalId: string; timeoutMs: number },
): Promise<SignalResponse> {
  const disconnected = new AbortController();
  ctx.res.once("close", () => disconnected.abort(CLIENT_DISCONNECTED));
  const finished = await deps.signalWaiters.wait(signalId, {
    timeoutMs,
    abort: disconnected.signal,
  });
  if (!finished) throw new AppError("timeout", MESSAGES.requestTimeout);
  return finished;
}

/** Signals and their history, and public links to them. */
export const createSignalRoutes = (deps: ServerDeps): BoundRoute[] => [
  handle(signalRoutes.getSignal, async ({ params }, ctx) =>
    presentSignal(await findSignal(deps, sessionOf(ctx).user, params.id)),
  ),
  handle(signalRoutes.getSignalCandles, ({ params }, ctx) =>
    readSignalCandles(deps, sessionOf(ctx).user, params.id),
  ),
  handle(signalRoutes.listSignals, ({ query }, ctx) =>
    listSignals(deps.database, sessionOf(ctx).user, query),
  ),
  handle(signalRoutes.getSignalProgress, ({ params }, ctx) =>
    getSignalProgress(deps, sessionOf(ctx).user, params.id),
  ),
  handle(signalRoutes.shareSignal, ({ params }, ctx) =>
    createShareLink(forRequest(deps, ctx), sessionOf(ctx).user, params.id),
  ),
  handle(signalRoutes.unshareSignal, async ({ params }, ctx) => {
    await revokeShareLink(forRequest(deps, ctx), sessionOf(ctx).user, params.id);
    return { detail: "The link to this signal no longer works." };
  }),
  handle(signalRoutes.getSharedSignal, ({ params }, ctx) => {
    ctx.set("X-Robots-Tag", "noindex");
    return readSharedSignal(deps, params.token);
  }),
];
