import { z } from "zod";
import { PROOF_REJECTION_REASONS } from "./constants.ts";

const MAX_NOTE_LENGTH = 500;

// Line breaks and tabs are text; other control characters are not.
const CONTROL_CHARACTERS = /[^\P{Cc}\n\t]/gu;

/** Free text, shown to the user as it is. */
const noteSchema = z
  .string()
  .transform((note) => note.replaceAll(CONTROL_CHARACTERS, "").trim())
  .pipe(z.string().max(MAX_NOTE_LENGTH, { error: `Use at most ${MAX_NOTE_LENGTH} characters.` }));

/** Why a payment proof was rejected. */
export const proofRejectionSchema = z.object({
  reason: z.enum(PROOF_REJECTION_REASONS, { error: "Choose a reason." }),
  note: z.string().optional(),
});
export type ProofRejection = z.infer<typeof proofRejectionSchema>;

export const rejectProofSchema = proofRejectionSchema
  .extend({
    note: noteSchema.optional().transform((note) => note || undefined),
    proof_id: z.string().max(64).optional().meta({
      description:
        "The `id` of the payment proof that was looked at. If another one was submitted since, nothing changes: 409 `proof-changed`.",
    }),
  })
  .refine(({ reason, note }) => reason !== "other" || note !== undefined, {
    path: ["note"],
    error: "Say what is wrong.",
  })
  .meta({ id: "RejectProof" });
export type RejectProof = z.input<typeof rejectProofSchema>;
