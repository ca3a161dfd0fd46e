import { createHash, randomBytes } from "node:crypto";
import {
  type SharedSignal,
  type ShareLink,
  sharedAnalysisSchema,
} from "@shared/contract/signal-page.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { findSignal, readProgress, signalNotFound } from "./queries.ts";

/** Too long to guess. */
const TOKEN_BYTES = 32;

const DAY_MS = 24 * 3_600_000;

const hashOf = (token: string): string => createHash("sha256").update(token).digest("hex");

/**
 * Creates a link to a user's own signal and revokes the previous one. Only the hash of its token is stored.
 * @throws AppError not-found, or invalid-input for a signal without a result
 */
export async function createShareLink(
  { database, now }: Pick<ServerDeps, "database" | "now">,
  user: Pick<UserRecord, "_id">,
  id: unknown,
): Promise<ShareLink> {
  const { _id, status } = await findSignal({ database }, user, id);
  if (status !== "completed") {
    throw new AppError("invalid-input", "Only completed signals can be shared.");
  }
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const sharedAt = now();
  const { matchedCount } = await database.signals.updateOne(
    { _id, userId: user._id },
    { $set: { shareHash: hashOf(token), sharedAt } },
  );
  if (matchedCount === 0) throw signalNotFound();
  return { token, shared_at: sharedAt.toISOString() };
}

/** Revokes the link to a user's own signal, if there is one. @throws AppError not-found */
export async function revokeShareLink(
  { database }: Pick<ServerDeps, "database">,
  user: Pick<UserRecord, "_id">,
  id: unknown,
): Promise<void> {
  const { _id } = await findSignal({ database }, user, id);
  await database.signals.updateOne({ _id }, { $unset: { shareHash: 1, sharedAt: 1 } });
}

/** Warnings about the origin of a signal. Others may reveal the user's amounts or image. */
const ABOUT_ORIGIN = /^(Demo data|Rule-based analysis):/;

/** The signal of a link: an allow-list without data of its user. @throws AppError not-found, also after `SHARE_LINK_DAYS` */
export async function readSharedSignal(
  { database, settings, now }: Pick<ServerDeps, "database" | "settings" | "now">,
  token: string,
): Promise<SharedSignal> {
  const expired = new Date(now().getTime() - settings.SHARE_LINK_DAYS * DAY_MS);
  const signal = await database.signals
    .findOne({ shareHash: hashOf(token), sharedAt: { $gt: expired } })
    .lean();
  if (!signal?.analysis) throw new AppError("not-found", "This link does not work any more.");
  const [stored, { judgement, candles: since }] = await Promise.all([
    database.analysisCandles.findById(signal.analysisId).lean(),
    readProgress(database, signal),
  ]);
  const { symbol, timeframe, createdAt, analysis } = signal;
  const warnings = analysis.warnings.filter((warning) => ABOUT_ORIGIN.test(warning));
  return {
    symbol,
    timeframe,
    created_at: createdAt.toISOString(),
    analysis: sharedAnalysisSchema.parse({ ...analysis, warnings }),
    before: stored?.candles ?? [],
    since,
    judgement,
  };
}
