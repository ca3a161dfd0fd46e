import { accentOf } from "@shared/contract/accent.ts";
import { MESSAGES, TIMEOUTS_MS } from "@shared/contract/constants.ts";
import { type signalHeadersSchema, signalRoutes } from "@shared/contract/routes/signal-routes.ts";
import type { SignalAccepted, SignalResponse } from "@shared/contract/signal.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import { readBranding } from "@shared/domain/branding.ts";
import { readFollowed } from "@shared/domain/followed-account.ts";
import { presentSignal } from "@shared/domain/present-signal.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import type { z } from "zod";
import { inTime } from "../../http/in-time.ts";
import { type BoundRoute, type Call, handle } from "../../http/router.ts";
import { sumHistory } from "./history-totals.ts";
import { noteSignal } from "./note-signal.ts";
import {
  findSignal,
  getSignalProgress,
  listSignals,
  readEvidence,
  readSignalCandles,
} from "./queries.ts";
import { requestSignal } from "./request-signal.ts";
import {
  assertCanSendImage,
  assertImageAllowed,
  requestSignalWithImage,
} from "./request-signal-with-image.ts";
import { drawShareImage } from "./share-image.ts";
import { createShareLink, readSharedSignal, revokeShareLink } from "./share-signal.ts";
import type { SignalDeps } from "./signal-waiters.ts";

type SignalHeaders = z.infer<typeof signalHeadersSchema>;

/** A link that has ended has no image soon after. */
const IMAGE_CACHE_SECONDS = 60;

/** Signals and their history, and public links to them. */
export const signalHandlers: BoundRoute<SignalDeps>[] = [
  handle(signalRoutes.requestSignal, async ({ body, headers }, call) => {
    const input = { ...inputOf(call, headers), request: body };
    const signal = await inTime(call.ctx.state.startedMs, requestSignal(call.deps, input));
    return respond(call, { ...headers, signal, timeoutMs: TIMEOUTS_MS.signal });
  }),
  handle(
    signalRoutes.requestSignalWithImage,
    async ({ body, headers, files }, call) => {
      const signal = await requestSignalWithImage(call.deps, {
        ...inputOf(call, headers),
        request: body,
        chartImage: files.chart_image,
      });
      return respond(call, { ...headers, signal, timeoutMs: TIMEOUTS_MS.signalWithImage });
    },
    {
      check: ({ session }) => assertImageAllowed(session.user),
      async checkFiles(call, files) {
        const key = call.ctx.get("Idempotency-Key");
        if (files.length > 0)
          await assertCanSendImage(call.deps, inputOf(call, { "idempotency-key": key }));
      },
    },
  ),
  handle(signalRoutes.getSignal, async ({ params }, { deps, session }) =>
    presentSignal(await findSignal(deps, session.user, params.id)),
  ),
  handle(signalRoutes.noteSignal, ({ params, body }, { deps, session }) =>
    noteSignal(deps, session.user, params.id, body.note),
  ),
  handle(signalRoutes.getSignalCandles, ({ params }, { deps, session }) =>
    readSignalCandles(deps, session.user, params.id),
  ),
  handle(signalRoutes.getSignalEvidence, ({ params }, { deps, session }) =>
    readEvidence(deps, session.user, params.id),
  ),
  handle(signalRoutes.listSignals, ({ query }, { deps, session }) =>
    listSignals(deps.database, session.user, query),
  ),
  handle(signalRoutes.getHistoryTotals, ({ query }, { deps, session }) =>
    sumHistory(deps.database, session.user, query),
  ),
  handle(signalRoutes.getFollowed, ({ query }, { deps, session }) =>
    readFollowed(deps.database, session.user, query),
  ),
  handle(signalRoutes.getSignalProgress, ({ params }, { deps, session }) =>
    getSignalProgress(deps, session.user, params.id),
  ),
  handle(signalRoutes.shareSignal, ({ params }, { deps, session }) =>
    createShareLink(deps, session, params.id),
  ),
  handle(signalRoutes.unshareSignal, async ({ params }, { deps, session }) => {
    await revokeShareLink(deps, session, params.id);
    return { detail: "The link to this signal no longer works." };
  }),
  handle(signalRoutes.getSharedSignal, ({ params }, { ctx, deps }) => {
    ctx.set("X-Robots-Tag", "noindex");
    return readSharedSignal(deps, params.token);
  }),
  handle(signalRoutes.getSharedImage, async ({ params }, { ctx, deps }) => {
    const signal = await readSharedSignal(deps, params.token);
    const { product_name, accent_color, time_zone } = await readBranding(deps.database);
    const image = await drawShareImage(signal, {
      ...(product_name && { product: product_name }),
      ...(accent_color && { accent: accentOf(accent_color, "dark").accent }),
      ...(time_zone && { timeZone: time_zone }),
    });
    ctx.set("X-Robots-Tag", "noindex");
    ctx.set("Cache-Control", `public, max-age=${IMAGE_CACHE_SECONDS}`);
    ctx.type = "image/png";
    return image;
  }),
];

const inputOf = (
  { ctx, session }: Call<SignalDeps>,
  headers: Pick<SignalHeaders, "idempotency-key">,
) => ({
  user: session.user,
  idempotencyKey: headers["idempotency-key"],
  requestId: ctx.state.requestId,
});

/** RFC 7240: preferences are separated by commas, may have parameters, and their names are case-insensitive. */
const prefersAsync = (prefer: string): boolean =>
  prefer.split(",").some((preference) => /^\s*respond-async\s*(;|$)/i.test(preference));

/** The body is the same for asynchronous requests whether or not the signal is already finished. */
function respond(
  call: Call<SignalDeps>,
  accepted: { signal: SignalRecord; prefer: string; timeoutMs: number },
): SignalAccepted | SignalResponse | Promise<SignalResponse> {
  const { ctx } = call;
  const { signal, prefer, timeoutMs } = accepted;
  const signalId = signal._id.toString();
  ctx.set("Location", `/signals/${signalId}`);
  if (prefersAsync(prefer)) {
    ctx.status = 202;
    ctx.set("Preference-Applied", "respond-async");
    return { signal_id: signalId, status: "queued" };
  }
  const isFinished = signal.status === "completed" || signal.status === "failed";
  return isFinished ? presentSignal(signal) : waitUntilFinished(call, signalId, timeoutMs);
}

/** A constant reason is cheaper than the error that would be created for each response. */
const CLIENT_DISCONNECTED = "the client disconnected";

async function waitUntilFinished(
  { ctx, deps }: Call<SignalDeps>,
  signalId: string,
  timeoutMs: number,
): Promise<SignalResponse> {
  const disconnected = new AbortController();
  ctx.res.once("close", () => disconnected.abort(CLIENT_DISCONNECTED));
  const finished = await deps.signalWaiters.wait(signalId, {
    timeoutMs,
    abort: disconnected.signal,
  });
  if (!finished) throw new AppError("timeout", MESSAGES.requestTimeout, { signalId });
  return finished;
}
