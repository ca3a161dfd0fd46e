import { createHash, randomBytes } from "node:crypto";
import { DAY_MS } from "@shared/contract/constants.ts";
import {
  type SharedSignal,
  type ShareLink,
  sharedAnalysisSchema,
  type WithheldSignal,
} from "@shared/contract/resolution.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { readCandles } from "@shared/database/stored-candles.ts";
import type { NewSecurityLogEntry } from "@shared/outbox/security-log.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import type { AuthenticatedSession } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { updateAndLog } from "../admin/security-log.ts";
import { findSignal, readProgress, signalNotFound } from "./queries.ts";
import { sharedFrom } from "./shared-from.ts";

/** Too long to guess. */
const TOKEN_BYTES = 32;

const hashOf = (token: string): string => createHash("sha256").update(token).digest("hex");

/** Creates a link to a user's own signal and revokes the previous one. Only the hash of its token is stored. */
export async function createShareLink(
  deps: ServerDeps,
  { user, origin }: AuthenticatedSession,
  id: unknown,
): Promise<ShareLink> {
  const { _id, status } = await findSignal(deps, user, id);
  if (status !== "completed") {
    throw new AppError("invalid-input", "Only completed signals can be shared.");
  }
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const sharedAt = deps.now();
  const filter = { _id, userId: user._id };
  const update = { $set: { shareHash: hashOf(token), sharedAt } };
  const entry = shareEntry("share-link:created", user, _id);
  const model = deps.database.signals;
  if (!(await updateAndLog(deps, origin, { model, filter, update }, entry))) throw signalNotFound();
  return { token, shared_at: sharedAt.toISOString() };
}

/** Revokes the link to a user's own signal, if there is one. */
export async function revokeShareLink(
  deps: ServerDeps,
  { user, origin }: AuthenticatedSession,
  id: unknown,
): Promise<void> {
  const { _id } = await findSignal(deps, user, id);
  const filter = { _id, shareHash: { $exists: true } };
  const update = { $unset: { shareHash: 1, sharedAt: 1 } };
  const entry = shareEntry("share-link:ended", user, _id);
  await updateAndLog(deps, origin, { model: deps.database.signals, filter, update }, entry);
}

const shareEntry = (
  type: "share-link:created" | "share-link:ended",
  { username }: Pick<UserRecord, "username">,
  signalId: { toString(): string },
): NewSecurityLogEntry => ({ type, user: username, details: { signal: signalId.toString() } });

/** Warnings about the origin of a signal. Others may reveal the user's amounts or image. */
const ABOUT_ORIGIN = /^(Demo record,|Demo data:|Rule-based analysis:)/;

/** The signal of a link: an allow-list without data of its user, and of an open trade only what is not withheld. */
export async function readSharedSignal(
  deps: ServerDeps,
  token: string,
): Promise<SharedSignal | WithheldSignal> {
  const { database, settings, now } = deps;
  const expired = new Date(now().getTime() - settings.SHARE_LINK_DAYS * DAY_MS);
  const signal = await database.signals
    .findOne({ shareHash: hashOf(token), sharedAt: { $gt: expired } })
    .lean();
  if (!signal?.analysis) throw new AppError("not-found", "This link does not work any more.");
  const [before, { judgement, candles: since }] = await Promise.all([
    readCandles(database.analysisCandles, signal.analysisId),
    readProgress(database, signal),
  ]);
  const { symbol, timeframe, createdAt, analysis } = signal;
  const market = { symbol, timeframe, created_at: createdAt.toISOString() };
  const from = sharedFrom(deps, signal, judgement);
  if (from !== "now") return { ...market, shared_from: from };
  const warnings = analysis.warnings.filter((warning) => ABOUT_ORIGIN.test(warning));
  return {
    ...market,
    analysis: sharedAnalysisSchema.parse({ ...analysis, warnings }),
    before,
    since,
    judgement,
  };
}
