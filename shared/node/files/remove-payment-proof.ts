import type { Types } from "mongoose";
import type { Database } from "../database.ts";
import type { Change } from "../event-log.ts";
import { fileStore } from "./file-store.ts";

/**
 * Removes a user's payment proof with its bytes, under the caller's transaction.
 * @returns whether there was one
 */
export async function removePaymentProof(
  database: Database,
  change: Change,
  userId: Types.ObjectId,
): Promise<boolean> {
  const proof = await database.paymentProofs
    .findOneAndDelete({ userId }, { session: change.session })
    .lean();
  if (!proof) return false;
  await fileStore(database, "payment_proofs").remove([proof._id], change.session);
  return true;
}
