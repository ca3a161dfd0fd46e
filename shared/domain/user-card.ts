import type { AdminPaymentProof, PaymentProof, UserCard } from "@shared/contract/account.ts";
import type { AccountReason } from "@shared/contract/events/event-data.ts";
import type { ProofRejection } from "@shared/contract/proof-rejection.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import type { ClientSession, Types } from "mongoose";
import type { Database } from "../database/database.ts";
import type { PaymentProofRecord, ProofFingerprintRecord } from "../database/models/payment.ts";
import type { UserRecord } from "../database/models/user.ts";
import { hasAccess, presentSubscription } from "./access.ts";
import { filePath } from "./file-store.ts";
import { presentVerification } from "./payment-verification.ts";

/** A payment proof for its owner. `url` is the path without a signature. */
export function presentProof(proof: ShownProof): PaymentProof {
  return {
    id: proof._id.toString(),
    sender_name: proof.senderName,
    filename: proof.filename,
    url: filePath("payment_proofs", proof.filename),
    submitted_at: proof.createdAt.toISOString(),
    ...(proof.plan && { plan: proof.plan }),
    ...(proof.transactionHash && { transaction_hash: proof.transactionHash }),
    ...(proof.isRenewal && { renewal: true }),
    ...(proof.reviewedAt && { reviewed_at: proof.reviewedAt.toISOString() }),
    ...(proof.rejection && { rejection: proof.rejection }),
    ...(proof.verification && { verification: presentVerification(proof.verification) }),
  };
}

export function presentAdminProof(proof: ShownProof): AdminPaymentProof {
  const { earlier } = proof;
  const shown = presentProof(proof);
  if (!earlier) return shown;
  const { username = "a deleted user", filename, submittedAt, state } = earlier;
  return {
    ...shown,
    duplicate_of: username,
    earlier_proof: {
      submitted_at: submittedAt.toISOString(),
      state,
      ...(filename && { url: filePath("payment_proofs", filename) }),
    },
  };
}

/** The fields of a user that a card shows. Reading whole users is slow for 50,000 of them. */
export const USER_CARD_FIELDS = [
  "username",
  "email",
  "emailVerified",
  "role",
  "approved",
  "allowImageUpload",
  "imageCredits",
  "subscription",
  "createdAt",
] as const;
type CardUser = Pick<UserRecord, (typeof USER_CARD_FIELDS)[number]>;

/** A user for administrators. */
export function presentUserCard(
  user: CardUser,
  at: Date,
  proof: ShownProof | null = null,
): UserCard {
  return {
    ...presentProfile(user, at),
    payment_proof: proof && presentAdminProof(proof),
    created_at: user.createdAt.toISOString(),
  };
}

/** The fields of a user that both the user and the administrators see. */
export const presentProfile = (user: CardUser, at: Date) => ({
  username: user.username,
  email: user.email,
  email_verified: user.emailVerified,
  role: user.role,
  approved: hasAccess(user, at),
  allow_image_upload: user.allowImageUpload,
  image_credits: user.imageCredits,
  subscription: presentSubscription(user, at),
});

const SHOWN_FIELDS = [
  "_id",
  "userId",
  "senderName",
  "plan",
  "transactionHash",
  "isRenewal",
  "filename",
  "createdAt",
  "reviewedAt",
  "rejection",
  "verification",
  "duplicateOfId",
] as const;
const EARLIER_FIELDS = ["username", "filename", "submittedAt", "state"] as const;

export interface ShownProof extends Pick<PaymentProofRecord, (typeof SHOWN_FIELDS)[number]> {
  earlier?: Pick<ProofFingerprintRecord, (typeof EARLIER_FIELDS)[number]> | undefined;
}

/** A user's current payment proof. */
export async function findProofOf(
  database: Database,
  userId: Types.ObjectId,
  session?: ClientSession,
): Promise<ShownProof | null> {
  return (await findProofs(database, [userId], session))[0] ?? null;
}

/** The current payment proofs of these users, by user id in hex. */
export async function findProofsOf(
  database: Database,
  userIds: readonly Types.ObjectId[],
  session?: ClientSession,
): Promise<Map<string, ShownProof>> {
  const proofs = await findProofs(database, userIds, session);
  return new Map(proofs.map((proof) => [proof.userId.toString(), proof]));
}

async function findProofs(
  database: Database,
  userIds: readonly Types.ObjectId[],
  session: ClientSession | null = null,
): Promise<ShownProof[]> {
  const proofs = await database.paymentProofs
    .find({ userId: { $in: [...userIds] }, replacedById: null })
    .select([...SHOWN_FIELDS])
    .session(session)
    .lean();
  const earlierIds = proofs.flatMap(({ duplicateOfId }) => duplicateOfId ?? []);
  if (earlierIds.length === 0) return proofs;
  const known = await database.proofFingerprints
    .find({ _id: { $in: earlierIds } })
    .select([...EARLIER_FIELDS])
    .session(session)
    .lean();
  const earlierById = new Map(known.map((earlier) => [earlier._id.toString(), earlier]));
  return proofs.map((proof) => ({
    ...proof,
    earlier: earlierById.get(proof.duplicateOfId?.toString() ?? ""),
  }));
}

/** Who gets the events of a change of an account. */
export type AccountAudience = "user-and-admins" | "user";

/**
 * Notifies a user and, unless `audience` leaves them out, the administrators of a change of the account.
 * @param change.user after the change
 * @param change.proof of the user, if it is read already
 */
export async function addAccountUpdatedEvents(
  database: Database,
  uow: UnitOfWork,
  {
    user,
    reason,
    rejection,
    isAutomatic = false,
    audience = "user-and-admins",
    ...known
  }: {
    user: UserRecord;
    reason: AccountReason;
    rejection?: ProofRejection;
    /** True if no administrator has done it. */
    isAutomatic?: boolean;
    proof?: ShownProof | null;
    audience?: AccountAudience;
  },
): Promise<void> {
  uow.addEvent(userStream(user._id), "account:updated", {
    approved: hasAccess(user, uow.at),
    role: user.role,
    allow_image_upload: user.allowImageUpload,
    image_credits: user.imageCredits,
    reason,
    ...(rejection && { proof_rejection: rejection }),
    ...(isAutomatic && { automatic: true }),
  });
  if (audience === "user") return;
  const { proof = await findProofOf(database, user._id, uow.session) } = known;
  uow.addEvent(ADMINS_STREAM, "user:updated", presentUserCard(user, uow.at, proof));
}
