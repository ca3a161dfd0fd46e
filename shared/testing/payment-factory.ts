import { randomUUID } from "node:crypto";
import type { PlanId } from "@shared/contract/plans.ts";
import { watchPayment } from "@shared/domain/payment-verification.ts";
import { commit } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { Types } from "mongoose";
import type { Database } from "../database/database.ts";
import type { PaymentProofRecord } from "../database/models/payment.ts";
import type { UserRecord } from "../database/models/user.ts";

/** Stores a proof of payment that names a transaction, in place of the user's current one, and has it watched. */
export async function createNamedProof(
  database: Database,
  { _id: userId, username }: Pick<UserRecord, "_id" | "username">,
  named: { plan: PlanId; transactionHash: string },
): Promise<PaymentProofRecord> {
  const _id = new Types.ObjectId();
  const filename = `${randomUUID()}.png`;
  await commit(database, { lockKeys: userStream(userId), now: database.now }, async (uow) => {
    const { session, at } = uow;
    await database.paymentProofs.updateMany(
      { userId, replacedById: null },
      { $set: { replacedById: _id } },
      { session },
    );
    const proof = {
      _id,
      userId,
      filename,
      contentType: "image/png" as const,
      size: 1,
      senderName: "Ann",
      createdAt: at,
      ...named,
    };
    await database.paymentProofs.create([proof], { session });
    const known = {
      _id: new Types.ObjectId(),
      number: (await database.proofFingerprints.estimatedDocumentCount()) + 1,
      userId,
      username,
      filename,
      transactionHash: named.transactionHash,
      submittedAt: at,
      state: "stored" as const,
      fingerprint: { width: 1, height: 1, rows: [], columns: [], squares: [] },
    };
    await database.proofFingerprints.create([known], { session });
    watchPayment(database, uow, proof);
  });
  const proof = await database.paymentProofs.findById(_id).lean();
  if (!proof) throw new Error("The proof was not stored.");
  return proof;
}
