import type { PaymentDetails } from "@shared/contract/payment.ts";
import type { Connection } from "mongoose";
import { modelOf, ObjectId, recordSchema } from "./record-schema.ts";
import type { StoredFileRecord } from "./stored-file.ts";

/** A user's current payment proof; a new one replaces it. */
export interface PaymentProofRecord extends StoredFileRecord {
  senderName: string;
  /** 64 bits in hex. Finds images that may be the same. */
  perceptualHash: string;
  /** The image in small and grey, to compare such images. Must be selected explicitly. */
  likeness: Buffer;
  /** Name of a user who submitted the same image earlier. */
  duplicateOf?: string;
}

const paymentProofSchema = recordSchema<PaymentProofRecord>("payment_proofs", {
  userId: ObjectId,
  likeness: { type: Buffer, select: false },
});
paymentProofSchema.index({ filename: 1 }, { unique: true });
paymentProofSchema.index({ userId: 1 }, { unique: true });

/** How subscribers pay; one document, `_id` is `payment-details`. */
interface PaymentDetailsRecord extends PaymentDetails {
  _id: string;
  updatedAt: Date;
}

const paymentDetailsSchema = recordSchema<PaymentDetailsRecord>("payment_details", { _id: String });

export const paymentModels = (connection: Connection) => ({
  paymentProofs: modelOf(connection, paymentProofSchema),
  paymentDetails: modelOf(connection, paymentDetailsSchema),
});
