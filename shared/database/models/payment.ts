import type { PaymentDetails } from "@shared/contract/payment.ts";
import { type Connection, Schema } from "mongoose";
import { type StoredFileRecord, storedFileFields } from "./stored-file.ts";

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

const paymentProofSchema = new Schema<PaymentProofRecord>(
  {
    ...storedFileFields,
    userId: { type: Schema.Types.ObjectId, unique: true },
    senderName: String,
    perceptualHash: String,
    likeness: { type: Buffer, select: false },
    duplicateOf: String,
  },
  { versionKey: false, collection: "payment_proofs" },
);

/** How subscribers pay; one document, `_id` is `payment-details`. */
interface PaymentDetailsRecord extends PaymentDetails {
  _id: string;
  updatedAt: Date;
}

const text = { type: String, default: "" };

const paymentDetailsSchema = new Schema<PaymentDetailsRecord>(
  {
    _id: String,
    bank_details_1: text,
    bank_details_2: text,
    bank_details_3: text,
    paypal_details: text,
    skrill_details: text,
    wise_details: text,
    updatedAt: Date,
  },
  { versionKey: false, collection: "payment_details" },
);

export const paymentModels = (connection: Connection) => ({
  paymentProofs: connection.model<PaymentProofRecord>("PaymentProof", paymentProofSchema),
  paymentDetails: connection.model<PaymentDetailsRecord>("PaymentDetails", paymentDetailsSchema),
});
