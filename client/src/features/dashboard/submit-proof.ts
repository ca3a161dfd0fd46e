import { type ActionDone, actionDoneSchema } from "@shared/contract/admin.ts";
import { proofFormSchema } from "@shared/contract/files.ts";
import { api } from "../../lib/api/api.ts";
import { ApiError } from "../../lib/api/api-error.ts";
import { issuesToFieldErrors } from "../../lib/api/field-errors.ts";
import { proofTexts } from "./texts.ts";

/** Pictures take their time on a slow line, in milliseconds. */
const UPLOAD_TIMEOUT_MS = 120_000;

/** What the form holds. */
export interface ProofInputs {
  senderName: string;
  file: File | null;
}

/**
 * Sends a payment proof in the place of the one before.
 * @throws ApiError whether the form's own check or the server objects
 */
export async function submitProof({ senderName, file }: ProofInputs): Promise<ActionDone> {
  if (senderName.trim() === "" || !file) {
    throw new ApiError(proofTexts.incomplete, { status: 0, code: "invalid-input" });
  }
  const { data, error } = proofFormSchema.safeParse({ sender_name: senderName });
  if (error) {
    const fieldErrors = issuesToFieldErrors(error.issues);
    throw new ApiError(proofTexts.failed, { status: 0, code: "invalid-input", fieldErrors });
  }
  const body = new FormData();
  body.set("sender_name", data.sender_name);
  body.set("proof_image", file);
  return api({
    method: "POST",
    path: "/submit-payment-proof",
    body,
    timeoutMs: UPLOAD_TIMEOUT_MS,
    schema: actionDoneSchema,
  });
}
