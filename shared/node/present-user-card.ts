import type { AdminPaymentProof, PaymentProof, UserCard } from "@shared/contract/account.ts";
import { filePath } from "./files/file-kinds.ts";
import type { ProofSummary } from "./files/payment-proofs.ts";
import type { UserRecord } from "./models/user.ts";
import { presentProfile } from "./present-profile.ts";

/** A payment proof as its owner sees it. `url` is the bare path, which is signed for whoever gets to read it. */
export function presentProof(proof: ProofSummary): PaymentProof {
  return {
    sender_name: proof.senderName,
    filename: proof.filename,
    url: filePath("payment_proofs", proof.filename),
    submitted_at: proof.submittedAt.toISOString(),
  };
}

/** A payment proof as administrators see it; `url` as in `presentProof`. */
export function presentAdminProof(proof: ProofSummary): AdminPaymentProof {
  const { duplicateOf } = proof;
  return { ...presentProof(proof), ...(duplicateOf && { duplicate_of: duplicateOf }) };
}

/** A user as the admin list and the admin events show him. */
export function presentUserCard(user: UserRecord, proof: ProofSummary | null = null): UserCard {
  return {
    ...presentProfile(user),
    payment_proof: proof && presentAdminProof(proof),
    created_at: user.createdAt.toISOString(),
  };
}
