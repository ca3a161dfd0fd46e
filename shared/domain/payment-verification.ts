import type { Verification } from "@shared/contract/account.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { addWork, workId } from "@shared/work/work-item.ts";
import { z } from "zod";
import type { Database } from "../database/database.ts";
import type { PaymentProofRecord, VerificationRecord } from "../database/models/payment.ts";

export const VERIFY_PAYMENT = "verify-payment";

/** Of the work item that watches the transaction of a proof. */
export const verifyPaymentSchema = z.object({ userId: z.string(), proofId: z.string() });

/** Shows administrators a user whose payment was approved. */
export const ANNOUNCE_APPROVAL = "announce-approval";
export const announceApprovalSchema = z.object({ userId: z.string() });

/** Watches the transaction that a proof names, until it can be accepted or needs an administrator. */
export function watchPayment(
  database: Database,
  uow: UnitOfWork,
  { _id, userId }: Pick<PaymentProofRecord, "_id" | "userId">,
): void {
  const data = { userId: userId.toString(), proofId: _id.toString() };
  const id = workId(VERIFY_PAYMENT, data.proofId);
  addWork(database, uow, { kind: VERIFY_PAYMENT, id, data, dueAt: uow.at });
}

export const presentVerification = ({
  state,
  confirmations,
  needed,
  problem,
}: VerificationRecord): Verification => ({
  state,
  confirmations,
  needed,
  ...(problem && { problem }),
});
