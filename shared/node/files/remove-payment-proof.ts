import type { UnitOfWork } from "@shared/outbox/commit.ts";
import type { Types } from "mongoose";
import type { Database } from "../database.ts";
import { fileStore } from "./file-store.ts";

/**
 * Removes a user's payment proof with its bytes, under the caller's transaction.
 * @returns whether there was one
 */
export async function removePaymentProof(
  database: Database,
  uow: UnitOfWork,
  userId: Types.ObjectId,
): Promise<boolean> {
  const proof = await database.paymentProofs
    .findOneAndDelete({ userId }, { session: uow.session })
    .lean();
  if (!proof) return false;
  await fileStore(database, "payment_proofs").remove([proof._id], uow.session);
  return true;
}
