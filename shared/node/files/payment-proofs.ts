import type { ClientSession, Types } from "mongoose";
import type { Database } from "../database.ts";
import type { PaymentProofRecord } from "../models/payment-proof.ts";

/** What is shown of a payment proof. */
export interface ProofSummary {
  senderName: string;
  filename: string;
  submittedAt: Date;
  /** Name of another user who had sent the same picture before; for administrators only. */
  duplicateOf?: string;
}

const SHOWN_FIELDS = {
  userId: 1,
  senderName: 1,
  filename: 1,
  createdAt: 1,
  duplicateOf: 1,
} as const;

/** What is shown of a proof's document. */
export function summarizeProof(
  proof: Pick<PaymentProofRecord, "senderName" | "filename" | "createdAt" | "duplicateOf">,
): ProofSummary {
  const { senderName, filename, createdAt, duplicateOf } = proof;
  return { senderName, filename, submittedAt: createdAt, ...(duplicateOf && { duplicateOf }) };
}

/** A user's current payment proof; with a session, as its transaction sees it. */
export async function findProofOf(
  database: Database,
  userId: Types.ObjectId,
  session?: ClientSession,
): Promise<ProofSummary | null> {
  const proof = await database.paymentProofs
    .findOne({ userId })
    .select(SHOWN_FIELDS)
    .session(session ?? null)
    .lean();
  return proof && summarizeProof(proof);
}

/** The current payment proofs of these users, by the user's id in hexadecimal. */
export async function findProofsOf(
  database: Database,
  userIds: readonly Types.ObjectId[],
): Promise<Map<string, ProofSummary>> {
  const proofs = await database.paymentProofs
    .find({ userId: { $in: [...userIds] } })
    .select(SHOWN_FIELDS)
    .lean();
  return new Map(proofs.map((proof) => [proof.userId.toString(), summarizeProof(proof)]));
}
