import { setImmediate } from "node:timers/promises";
import type { Database } from "@shared/database/database.ts";
import type {
  PaymentProofRecord,
  ProofFingerprintRecord,
} from "@shared/database/models/payment.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import {
  addAccountUpdatedEvents,
  findProofOf,
  presentAdminProof,
  presentUserCard,
} from "@shared/domain/user-card.ts";
import { commit } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { type ClientSession, Types } from "mongoose";
import { unauthenticated } from "../../http/errors.ts";
import type { ServerDeps } from "../../server-deps.ts";
import type { AdminDeps, UserActionInput } from "../admin/security-log.ts";
import { sanitizeImage } from "../files/sanitize-image.ts";
import { removePaymentProof, storeUpload } from "../files/stored-files.ts";
import { commitOnUser } from "../users/manage-users.ts";
import { type ComparableImage, readComparable, showsSameImage } from "./image-similarity.ts";

/**
 * Stores a payment proof in place of the previous one, and reports an earlier proof with the same image: of any user, also
 * if that proof or its user has been deleted.
 * @throws AppError not-an-image, file-too-large
 */
export async function submitProof(
  deps: Pick<ServerDeps, "database" | "logger" | "now">,
  input: { user: Pick<UserRecord, "_id">; senderName: string; image: Uint8Array },
): Promise<void> {
  const { senderName } = input;
  const { _id: userId } = input.user;
  const image = await sanitizeImage(input.image);
  const comparable = await readComparable(image.bytes);
  const startedAt = new Types.ObjectId().getTimestamp().getTime();
  const duplicateOfId = await findEarlierProof(deps.database, { comparable, userId });
  await storeUpload(deps, { kind: "payment_proofs", image }, (file) =>
    storeProof(deps, {
      proof: { ...file, userId, senderName, ...(duplicateOfId && { duplicateOfId }) },
      comparable,
      comparedAt: startedAt,
    }),
  );
}

interface NewProof {
  proof: Omit<PaymentProofRecord, "createdAt">;
  comparable: ComparableImage;
  /** When the comparison with earlier proofs began. */
  comparedAt: number;
}

/** Clocks of servers differ by less, and no submission takes longer. */
const MAX_SUBMISSION_MS = 60_000;

function storeProof(
  { database, now }: Pick<ServerDeps, "database" | "now">,
  { proof, comparable, comparedAt }: NewProof,
): Promise<void> {
  const { userId } = proof;
  const lockKeys = [ADMINS_STREAM, userStream(userId)];
  return commit(database, { lockKeys, now }, async (uow) => {
    const { session, at } = uow;
    const user = await database.users.findById(userId).session(session).lean();
    if (!user) throw unauthenticated();
    // Of two that are submitted at once, the second one to commit finds the first one here.
    const since = new Date(comparedAt - MAX_SUBMISSION_MS);
    const duplicateOfId =
      proof.duplicateOfId ??
      (await findEarlierProof(database, { comparable, userId, since, session }));
    await removePaymentProof(database, uow, { userId, state: "replaced" });
    const { filename } = proof;
    const stored = { ...proof, createdAt: at, ...(duplicateOfId && { duplicateOfId }) };
    await database.paymentProofs.create([stored], { session });
    const { username } = user;
    const known: ProofFingerprintRecord = {
      _id: new Types.ObjectId(),
      ...{ userId, username, filename, submittedAt: at, state: "stored" },
      fingerprint: comparable.fingerprint,
    };
    await database.proofFingerprints.create([known], { session });
    const shown = await findProofOf(database, userId, session);
    if (shown)
      uow.addEvent(ADMINS_STREAM, "proof:submitted", { ...presentAdminProof(shown), username });
    await addAccountUpdatedEvents(database, uow, { user, reason: "proof-submitted" });
  });
}

/** Deletes a user's payment proof. @throws AppError not-found */
export function deleteProof(deps: AdminDeps, input: UserActionInput): Promise<UserRecord> {
  return commitOnUser(deps, input, async (uow, user) => {
    if (!(await removePaymentProof(deps.database, uow, { userId: user._id, state: "deleted" }))) {
      throw new AppError("not-found", `${user.username} has no payment proof.`);
    }
    uow.log({ type: "proof:deleted", user: user.username });
    uow.addEvent(userStream(user._id), "proof:deleted", {});
    uow.addEvent(ADMINS_STREAM, "user:updated", presentUserCard(user));
    return user;
  });
}

interface ProofSearch {
  comparable: ComparableImage;
  userId: Types.ObjectId;
  /** Compares only with proofs that were submitted later. */
  since?: Date;
  session?: ClientSession;
}

/** The proof with the same image: first of another user, then with a stored image, then the oldest one. */
async function findEarlierProof(
  database: Database,
  { comparable, userId, since, session }: ProofSearch,
): Promise<Types.ObjectId | undefined> {
  const matches: Omit<ProofFingerprintRecord, "fingerprint">[] = [];
  const known = database.proofFingerprints
    .find(since ? { _id: { $gt: firstIdOf(since) } } : {})
    .sort({ _id: 1 })
    .session(session ?? null)
    .lean()
    .cursor();
  for await (const { fingerprint, ...earlier } of known) {
    if (showsSameImage(fingerprint, comparable)) matches.push(earlier);
    // Each comparison takes milliseconds.
    await setImmediate();
  }
  const ofOthers = matches.filter((earlier) => !earlier.userId?.equals(userId));
  const candidates = ofOthers.length > 0 ? ofOthers : matches;
  return (candidates.find(({ filename }) => filename) ?? candidates[0])?._id;
}

const firstIdOf = (time: Date): Types.ObjectId =>
  Types.ObjectId.createFromTime(Math.floor(time.getTime() / 1_000));
