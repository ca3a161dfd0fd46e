import type { AccountReason } from "@shared/contract/events.ts";
import type { Database } from "./database.ts";
import type { Change } from "./event-log.ts";
import { findProofOf } from "./files/payment-proofs.ts";
import type { UserRecord } from "./models/user.ts";
import { presentUserCard } from "./present-user-card.ts";
import { ADMINS_STREAM, userStream } from "./streams.ts";

/**
 * Tells a user and the administrators what has become of his account.
 * @param user as he is after the change
 */
export async function tellAccountUpdated(
  database: Database,
  change: Change,
  { user, reason }: { user: UserRecord; reason: AccountReason },
): Promise<void> {
  change.tell(userStream(user._id), "account:updated", {
    approved: user.approved,
    role: user.role,
    allow_image_upload: user.allowImageUpload,
    image_credits: user.imageCredits,
    reason,
  });
  const proof = await findProofOf(database, user._id, change.session);
  change.tell(ADMINS_STREAM, "user:updated", presentUserCard(user, proof));
}
