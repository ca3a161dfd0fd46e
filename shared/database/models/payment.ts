import type { ProofState } from "@shared/contract/account.ts";
import { PROOF_FINGERPRINT_DAYS } from "@shared/contract/constants.ts";
import type { PaymentDetails } from "@shared/contract/payment.ts";
import type { PlanId } from "@shared/contract/plans.ts";
import type { Connection, Types } from "mongoose";
import { modelOf, ObjectId, recordSchema } from "./record-schema.ts";
import type { StoredFileRecord } from "./stored-file.ts";

/** A payment proof. A new one replaces it, but one that paid for a subscription is kept. */
export interface PaymentProofRecord extends StoredFileRecord {
  senderName: string;
  plan?: PlanId | undefined;
  /** 64 hexadecimal digits, with `0x` on EVM chains. */
  transactionHash?: string;
  /** Set if it was submitted during a subscription or its grace period. */
  isRenewal?: true;
  /** The next proof of the user; absent from the current one. */
  replacedById?: Types.ObjectId;
  /** When an administrator accepted it. */
  reviewedAt?: Date;
  /** When its image was compared with those of earlier proofs. */
  comparedAt?: Date;
  /** The fingerprint of an earlier proof with the same image. */
  duplicateOfId?: Types.ObjectId;
}

const paymentProofSchema = recordSchema<PaymentProofRecord>("payment_proofs", {
  userId: ObjectId,
});
paymentProofSchema.index({ filename: 1 }, { unique: true });
paymentProofSchema.index({ userId: 1, replacedById: 1 }, { unique: true });
paymentProofSchema.index({ reviewedAt: 1, createdAt: 1 });

/** Where rows and columns of an image have content, and a hash of each of its squares. See `image-similarity.ts`. */
export interface Fingerprint {
  width: number;
  height: number;
  rows: number[];
  columns: number[];
  squares: number[];
}

/** What is kept of every payment proof, to detect an image that is submitted again. */
export interface ProofFingerprintRecord {
  _id: Types.ObjectId;
  /** Grows with each submission. */
  number: number;
  /** User, name and file name are absent once they are deleted. */
  userId?: Types.ObjectId;
  username?: string;
  filename?: string;
  transactionHash?: string;
  submittedAt: Date;
  state: ProofState;
  removedAt?: Date;
  fingerprint: Fingerprint;
}

const proofFingerprintSchema = recordSchema<ProofFingerprintRecord>("proof_fingerprints", {
  userId: ObjectId,
});
proofFingerprintSchema.index({ userId: 1 });
proofFingerprintSchema.index({ number: 1 });
proofFingerprintSchema.index({ transactionHash: 1 }, { sparse: true });
proofFingerprintSchema.index(
  { removedAt: 1 },
  { expireAfterSeconds: PROOF_FINGERPRINT_DAYS * 86_400 },
);

/** How subscribers pay; one document, `_id` is `payment-details`. */
interface PaymentDetailsRecord extends PaymentDetails {
  _id: string;
  updatedAt: Date;
}

const paymentDetailsSchema = recordSchema<PaymentDetailsRecord>("payment_details", { _id: String });

export const paymentModels = (connection: Connection) => ({
  paymentProofs: modelOf(connection, paymentProofSchema),
  proofFingerprints: modelOf(connection, proofFingerprintSchema),
  paymentDetails: modelOf(connection, paymentDetailsSchema),
});
