import { z } from "zod";
import { proofStateSchema } from "./account.ts";

const checkFields = {
  hash: z.string(),
  /** Name of the blockchain; absent if the settings have none. */
  network: z.string().optional(),
  /** Other proofs with the same hash, newest first. */
  used_by: z.array(
    z.object({
      username: z.string(),
      submitted_at: z.iso.datetime(),
      state: proofStateSchema,
    }),
  ),
};

/** What the blockchain says about the transaction of a proof. */
export const transactionCheckSchema = z
  .discriminatedUnion("status", [
    z.object({
      status: z.literal("found"),
      ...checkFields,
      succeeded: z.boolean(),
      sent_at: z.iso.datetime(),
      confirmations: z.int().min(1),
      /** What was paid to the seller, or else another transfer of a token; null if there is none. */
      transfer: z
        .object({
          /** Address of the token's contract. */
          token: z.string(),
          is_usdt: z.boolean(),
          /** In decimal; null for other tokens. */
          amount: z.string().nullable(),
          recipient: z.string(),
          is_recipient_ours: z.boolean(),
        })
        .nullable(),
    }),
    z.object({
      status: z.enum(["not-found", "unreachable", "not-configured"]),
      ...checkFields,
    }),
  ])
  .meta({ id: "TransactionCheck" });
export type TransactionCheck = z.infer<typeof transactionCheckSchema>;
