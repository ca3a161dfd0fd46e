import { createHash, randomBytes } from "node:crypto";
import type { SharedSignal, ShareLink } from "@shared/contract/signal-page.ts";
import { AppError } from "@shared/node/app-error.ts";
import type { UserRecord } from "@shared/node/models/user.ts";
import { presentSharedSignal } from "../presenters/present-shared-signal.ts";
import type { ServerDeps } from "../server-deps.ts";
import { findSignal, noSuchSignal } from "./find-signal.ts";
import { readProgress } from "./get-signal-progress.ts";

/** Nobody guesses it, however many signals are shared. */
const TOKEN_BYTES = 32;

const hashOf = (token: string): string => createHash("sha256").update(token).digest("hex");

/**
 * Lets whoever has the token see a user's own signal; the token before is void from then on. Only its hash is stored.
 * @throws AppError `not-found`; `invalid-input` for a signal without a result
 */
export async function shareSignal(
  { database, now }: Pick<ServerDeps, "database" | "now">,
  user: Pick<UserRecord, "_id">,
  id: unknown,
): Promise<ShareLink> {
  const { _id, status } = await findSignal({ database }, user, id);
  if (status !== "completed") {
    throw new AppError("invalid-input", "Only a signal that has a result can be shared.");
  }
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const sharedAt = now();
  const { matchedCount } = await database.signals.updateOne(
    { _id, userId: user._id },
    { $set: { shareHash: hashOf(token), sharedAt } },
  );
  if (matchedCount === 0) throw noSuchSignal();
  return { token, shared_at: sharedAt.toISOString() };
}

/**
 * Voids the token of a user's own signal; of no effect where there is none.
 * @throws AppError `not-found`
 */
export async function unshareSignal(
  { database }: Pick<ServerDeps, "database">,
  user: Pick<UserRecord, "_id">,
  id: unknown,
): Promise<void> {
  const { _id } = await findSignal({ database }, user, id);
  await database.signals.updateOne({ _id }, { $unset: { shareHash: 1, sharedAt: 1 } });
}

/**
 * The signal that a token stands for, without anything of its user.
 * @throws AppError `not-found` for a token that is void or never was
 */
export async function readSharedSignal(
  { database }: Pick<ServerDeps, "database">,
  token: string,
): Promise<SharedSignal> {
  const signal = await database.signals.findOne({ shareHash: hashOf(token) }).lean();
  if (!signal?.analysis) throw new AppError("not-found", "This link does not work any more.");
  const [stored, { judgement, candles: since }] = await Promise.all([
    database.analysisCandles.findById(signal.analysisId).lean(),
    readProgress(database, signal),
  ]);
  const { analysis } = signal;
  const before = stored?.candles ?? [];
  return presentSharedSignal({ ...signal, analysis, judgement, before, since });
}
