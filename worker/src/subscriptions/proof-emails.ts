import { NEW_PROOF, rejectionText } from "@shared/contract/events/account-events.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import type { ProofEmail } from "@shared/domain/proof-email.ts";
import { type Brand, composeEmail, DEFAULT_BRAND } from "@shared/runtime/compose-email.ts";
import type { Mail } from "@shared/runtime/mailer.ts";

/** The email to a user whose payment proof was rejected. */
export function proofRejectedEmail(
  { rejection, senderName }: Pick<ProofEmail, "rejection" | "senderName">,
  context: { user: Pick<UserRecord, "email" | "username">; webUrl: string; brand?: Brand },
): Mail {
  const { user, webUrl, brand = DEFAULT_BRAND } = context;
  const { email: to, username } = user;
  const link = new URL(NEW_PROOF.path, webUrl).href;
  return composeEmail(
    { to, username, link },
    {
      subject: `Your payment proof for ${brand.name} was rejected`,
      request: `An administrator has rejected your payment proof from ${senderName}. ${rejectionText(rejection)}`,
      button: NEW_PROOF.button,
      note: "Nothing else changed in your account. Your new proof is reviewed like the first one.",
    },
    brand,
  );
}
