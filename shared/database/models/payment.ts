import type { ProofState, Verification } from "@shared/contract/account.ts";
import { PROOF_FINGERPRINT_DAYS } from "@shared/contract/constants.ts";
import type { PaymentDetails } from "@shared/contract/payment.ts";
import type { PlanId } from "@shared/contract/plans.ts";
import type { ProofRejection } from "@shared/contract/proof-rejection.ts";
import type { SubscriptionStatus } from "@shared/contract/subscription.ts";
import type { Connection, Types } from "mongoose";
import { modelOf, ObjectId, recordSchema } from "./record-schema.ts";
import type { StoredFileRecord } from "./signal.ts";

/** What is known of a transaction that is checked for an automatic approval. */
export interface VerificationRecord extends Verification {
  checkedAt: Date;
}

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
  /** When an administrator accepted or rejected it. */
  reviewedAt?: Date;
  /** Set if it was rejected. */
  rejection?: ProofRejection;
  verification?: VerificationRecord;
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
// Contains what a search for a sender compares and gives.
paymentProofSchema.index({ senderName: 1, userId: 1 });

/** Filter for the proofs of payment that no administrator has accepted or rejected. */
export const AWAITS_REVIEW = { reviewedAt: null };

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

/** What an administrator has changed of a plan. */
interface PlanRecord {
  _id: PlanId;
  monthlyUsd: number;
  imageCredits: number;
  support: string;
  updatedAt: Date;
}

const planSchema = recordSchema<PlanRecord>("plans", { _id: String });

export const paymentModels = (connection: Connection) => ({
  paymentProofs: modelOf(connection, paymentProofSchema),
  proofFingerprints: modelOf(connection, proofFingerprintSchema),
  paymentDetails: modelOf(connection, paymentDetailsSchema),
  plans: modelOf(connection, planSchema),
});

/** A subscription, stored in its user. `subscription-schedule.ts` derives what is due and when. */
export interface SubscriptionRecord {
  /** Of the last billing period. */
  plan: PlanId;
  /** The last status that was announced. Access follows `accessEndsAt`. */
  status: SubscriptionStatus;
  /** Start of the first month. All months start on its day. */
  startedAt: Date;
  /** Paid months. */
  months: number;
  /** Months whose image credits are granted. */
  creditedMonths: number;
  endsAt: Date;
  /** End of the grace period. */
  accessEndsAt: Date;
  /** Days before `endsAt` of the last reminder, which may have been skipped; null before the first. */
  remindedDays: number | null;
  /** When the next credits, reminder or change of the status are due; null once it has ended. */
  nextDueAt: Date | null;
}

/** A payment: some months of one plan. */
export interface BillingPeriodRecord {
  _id: Types.ObjectId;
  userId: Types.ObjectId;
  plan: PlanId;
  months: number;
  /** What a month cost and contained when the payment was accepted. */
  monthlyUsd: number;
  imageCredits: number;
  subscribedAt: Date;
  /** Months of the subscription before this period. */
  firstMonth: number;
  startedAt: Date;
  endsAt: Date;
  revokedAt?: Date;
  /** Administrator who accepted the payment, or `AUTOMATIC_APPROVER`. */
  by: string;
  proofId?: Types.ObjectId;
  createdAt: Date;
}

export const PAYMENT_LIST_INDEX = { createdAt: -1, _id: -1 } as const;

const billingPeriodSchema = recordSchema<BillingPeriodRecord>("billing_periods", {
  userId: ObjectId,
  proofId: ObjectId,
});
billingPeriodSchema.index({ userId: 1, subscribedAt: 1, firstMonth: 1 }, { unique: true });
billingPeriodSchema.index({ proofId: 1 }, { sparse: true });
billingPeriodSchema.index({ endsAt: 1 });
billingPeriodSchema.index(PAYMENT_LIST_INDEX);

export const subscriptionModels = (connection: Connection) => ({
  billingPeriods: modelOf(connection, billingPeriodSchema),
});
