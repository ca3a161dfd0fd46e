import type { AdminPaymentProof } from "@shared/contract/account.ts";
import {
  type Fingerprint,
  findDuplicateProof,
  fingerprintOf,
} from "@shared/node/files/find-duplicate-proof.ts";
import { summarizeProof } from "@shared/node/files/payment-proofs.ts";
import { removePaymentProof } from "@shared/node/files/remove-payment-proof.ts";
import { type SavedFile, saveAndCommit } from "@shared/node/files/save-and-commit.ts";
import { takeInImage } from "@shared/node/files/take-in-image.ts";
import type { PaymentProofRecord } from "@shared/node/models/payment-proof.ts";
import type { UserRecord } from "@shared/node/models/user.ts";
import { presentAdminProof } from "@shared/node/present-user-card.ts";
import { tellAccountUpdated } from "@shared/node/tell-account-updated.ts";
import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import { unauthenticated } from "../errors.ts";
import type { ServerDeps } from "../server-deps.ts";

/** A payment proof as it was uploaded. */
export interface ProofOrder {
  user: Pick<UserRecord, "_id">;
  senderName: string;
  picture: Buffer;
}

/** What is stored of a proof, but for the moment. */
type NewProof = Omit<PaymentProofRecord, "createdAt">;

/**
 * Keeps a user's payment proof in the place of the one before, and tells him and the admins; them also who else has
 * sent the same picture.
 * @throws AppError not-an-image, file-too-large
 */
export async function submitProof(
  deps: Pick<ServerDeps, "database" | "logger" | "now">,
  order: ProofOrder,
): Promise<void> {
  const { database } = deps;
  const { _id: userId } = order.user;
  const image = await takeInImage(order.picture);
  const fingerprint = await fingerprintOf(image.bytes);
  const duplicateOf = await findDuplicateProof(database, { ...fingerprint, userId });
  await saveAndCommit(deps, { kind: "payment_proofs", image }, (file) =>
    storeProof(deps, newProof(order, { file, fingerprint, duplicateOf })),
  );
}

function newProof(
  { user, senderName }: ProofOrder,
  found: { file: SavedFile; fingerprint: Fingerprint; duplicateOf: string | undefined },
): NewProof {
  const { file, fingerprint, duplicateOf } = found;
  return {
    ...file,
    ...fingerprint,
    userId: user._id,
    senderName,
    ...(duplicateOf !== undefined && { duplicateOf }),
  };
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
    tellSubmitted(uow, user, stored);
    await tellAccountUpdated(database, uow, { user, reason: "proof-submitted" });
  });
}

function tellSubmitted(uow: UnitOfWork, user: UserRecord, stored: PaymentProofRecord): void {
  const presented: AdminPaymentProof = presentAdminProof(summarizeProof(stored));
  uow.addEvent(ADMINS_STREAM, "proof:submitted", { ...presented, username: user.username });
}
