import type { Database } from "@shared/database/database.ts";
import type { PaymentProofRecord } from "@shared/database/models/payment.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import {
  addAccountUpdatedEvents,
  presentAdminProof,
  presentUserCard,
} from "@shared/domain/user-card.ts";
import { commit } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import type { Types } from "mongoose";
import { unauthenticated } from "../../http/errors.ts";
import type { ServerDeps } from "../../server-deps.ts";
import type { AdminDeps, UserActionInput } from "../admin/security-log.ts";
import { sanitizeImage } from "../files/sanitize-image.ts";
import { removePaymentProof, storeUpload } from "../files/stored-files.ts";
import { commitOnUser } from "../users/manage-users.ts";
import { likenessOf, mayBeSameImage, perceptualHash, showSameImage } from "./image-similarity.ts";

type NewProof = Omit<PaymentProofRecord, "createdAt">;

/**
 * Stores a payment proof in place of the previous one, and reports another user's proof with the same image.
 * @throws AppError not-an-image, file-too-large
 */
export async function submitProof(
  deps: Pick<ServerDeps, "database" | "logger" | "now">,
  input: { user: Pick<UserRecord, "_id">; senderName: string; image: Uint8Array },
): Promise<void> {
  const { database } = deps;
  const { senderName } = input;
  const { _id: userId } = input.user;
  const image = await sanitizeImage(input.image);
  const fingerprint = await fingerprintOf(image.bytes);
  const duplicateOf = await findDuplicateProof(database, { ...fingerprint, userId });
  await storeUpload(deps, { kind: "payment_proofs", image }, (file) =>
    storeProof(deps, {
      ...{ ...file, ...fingerprint, userId, senderName },
      ...(duplicateOf !== undefined && { duplicateOf }),
    }),
  );
}

function storeProof(
  { database, now }: Pick<ServerDeps, "database" | "now">,
  proof: NewProof,
): Promise<void> {
  const lockKeys = [ADMINS_STREAM, userStream(proof.userId)];
  return commit(database, { lockKeys, now }, async (uow) => {
    const { session, at } = uow;
    const user = await database.users.findById(proof.userId).session(session).lean();
    if (!user) throw unauthenticated();
    await removePaymentProof(database, uow, user._id);
    const stored: PaymentProofRecord = { ...proof, createdAt: at };
    await database.paymentProofs.create([stored], { session });
    const { username } = user;
    uow.addEvent(ADMINS_STREAM, "proof:submitted", { ...presentAdminProof(stored), username });
    await addAccountUpdatedEvents(database, uow, { user, reason: "proof-submitted" });
  });
}

/** Deletes a user's payment proof. @throws AppError not-found */
export function deleteProof(deps: AdminDeps, input: UserActionInput): Promise<UserRecord> {
  return commitOnUser(deps, input, async (uow, user) => {
    if (!(await removePaymentProof(deps.database, uow, user._id))) {
      throw new AppError("not-found", `${user.username} has no payment proof.`);
    }
    uow.log({ type: "proof:deleted", user: user.username });
    uow.addEvent(userStream(user._id), "proof:deleted", {});
    uow.addEvent(ADMINS_STREAM, "user:updated", presentUserCard(user));
    return user;
  });
}

interface Fingerprint {
  perceptualHash: string;
  likeness: Buffer;
}

/** @param image as `sanitizeImage` returns it */
export async function fingerprintOf(image: Buffer): Promise<Fingerprint> {
  return {
    perceptualHash: await perceptualHash(image),
    likeness: await likenessOf(image),
  };
}

/** Name of another user whose current proof shows the same image. Compares all hashes, and pixels only of similar ones. */
async function findDuplicateProof(
  database: Database,
  proof: Fingerprint & { userId: Types.ObjectId },
): Promise<string | undefined> {
  const others = database.paymentProofs
    .find({ userId: { $ne: proof.userId } })
    .select({ userId: 1, perceptualHash: 1 })
    .lean()
    .cursor();
  for await (const other of others) {
    if (!mayBeSameImage(other.perceptualHash, proof.perceptualHash)) continue;
    const candidate = await database.paymentProofs.findById(other._id).select("+likeness");
    if (!candidate || !showSameImage(candidate.likeness, proof.likeness)) continue;
    const user = await database.users.findById(other.userId).select({ username: 1 }).lean();
    if (user) return user.username;
  }
  return undefined;
}
