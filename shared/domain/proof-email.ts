import { type ProofRejection, proofRejectionSchema } from "@shared/contract/proof-rejection.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { z } from "zod";
import type { Database } from "../database/database.ts";
import type { UserRecord } from "../database/models/user.ts";
import { addEmail, latestSending } from "./email-work.ts";

/** Data of a work item that sends an email about a rejected payment proof. */
export const proofEmailSchema = z.object({
  userId: z.string(),
  kind: z.literal("proof-rejected"),
  rejection: proofRejectionSchema,
  senderName: z.string(),
  expiresAt: z.date(),
});
export type ProofEmail = z.infer<typeof proofEmailSchema>;

export function addRejectionEmail(
  database: Database,
  uow: UnitOfWork,
  proof: { user: UserRecord; rejection: ProofRejection; senderName: string },
): void {
  const { user, rejection, senderName } = proof;
  const data: ProofEmail = {
    userId: user._id.toString(),
    kind: "proof-rejected",
    rejection,
    senderName,
    expiresAt: latestSending(uow.at),
  };
  addEmail(database, uow, data);
}
