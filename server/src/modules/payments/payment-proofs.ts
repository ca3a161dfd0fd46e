import type { PlanId } from "@shared/contract/plans.ts";
import type { Database } from "@shared/database/database.ts";
import type {
  Fingerprint,
  PaymentProofRecord,
  ProofFingerprintRecord,
} from "@shared/database/models/payment.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { statusAt } from "@shared/domain/subscription-schedule.ts";
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
import { removePaymentProof, replacePaymentProof, storeUpload } from "../files/stored-files.ts";
import { commitOnUser } from "../users/manage-users.ts";
import { type CompareDeps, compareProofs } from "./compare-proofs.ts";
import { readComparable } from "./image-similarity.ts";

/**
 * Stores a payment proof in place of the previous one, and then looks for an earlier proof with the same image: of any
 * user, also if that proof or its user has been deleted.
 * @throws AppError not-an-image, file-too-large
 */
export async function submitProof(
  deps: CompareDeps,
  input: {
    user: Pick<UserRecord, "_id">;
    senderName: string;
    plan: PlanId | undefined;
    transactionHash: string | undefined;
    image: Uint8Array;
  },
): Promise<void> {
  const { senderName, plan, transactionHash } = input;
  const { _id: userId } = input.user;
  const named = { ...(plan && { plan }), ...(transactionHash && { transactionHash }) };
  const image = await sanitizeImage(input.image);
  const { fingerprint } = await readComparable(image.bytes);
  await storeUpload(deps, { kind: "payment_proofs", image }, (file) =>
    storeProof(deps, { ...file, userId, senderName, ...named }, fingerprint),
  );
  compareProofs(deps);
}

function storeProof(
  { database, now }: Pick<ServerDeps, "database" | "now">,
  proof: Omit<PaymentProofRecord, "createdAt">,
  fingerprint: Fingerprint,
): Promise<void> {
  const { userId, filename, transactionHash } = proof;
  const lockKeys = [ADMINS_STREAM, userStream(userId)];
  return commit(database, { lockKeys, now }, async (uow) => {
    const { session, at } = uow;
    const user = await database.users.findById(userId).session(session).lean();
    if (!user) throw unauthenticated();
    await replacePaymentProof(database, uow, proof);
    const runs = user.subscription && statusAt(user.subscription, at) !== "ended";
    const stored = { ...proof, createdAt: at, ...(runs && { isRenewal: true as const }) };
    await database.paymentProofs.create([stored], { session });
    const { username } = user;
    const known: ProofFingerprintRecord = {
      _id: new Types.ObjectId(),
      number: (await lastNumber(database, session)) + 1,
      ...{ userId, username, filename, submittedAt: at, state: "stored" },
      ...(transactionHash && { transactionHash }),
      fingerprint,
    };
    await database.proofFingerprints.create([known], { session });
    const shown = await findProofOf(database, userId, session);
    if (shown)
      uow.addEvent(ADMINS_STREAM, "proof:submitted", { ...presentAdminProof(shown), username });
    await addAccountUpdatedEvents(database, uow, { user, reason: "proof-submitted" });
  });
}

/** Submissions commit one after the other on all servers, because each adds an event to the administrators' stream. */
async function lastNumber(database: Database, session: ClientSession): Promise<number> {
  const last = await database.proofFingerprints
    .findOne()
    .select({ number: 1 })
    .sort({ number: -1 })
    .session(session)
    .lean();
  return last?.number ?? 0;
}

export function deleteProof(deps: AdminDeps, input: UserActionInput): Promise<UserRecord> {
  return commitOnUser(deps, input, async (uow, user) => {
    if (!(await removePaymentProof(deps.database, uow, { userId: user._id, state: "deleted" }))) {
      throw new AppError("not-found", `${user.username} has no payment proof.`);
    }
    uow.log({ type: "proof:deleted", user: user.username });
    uow.addEvent(userStream(user._id), "proof:deleted", {});
    uow.addEvent(ADMINS_STREAM, "user:updated", presentUserCard(user, uow.at));
    return user;
  });
}
