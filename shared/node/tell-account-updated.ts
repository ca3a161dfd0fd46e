import type { AccountReason } from "@shared/contract/events.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import type { Database } from "./database.ts";
import { findProofOf } from "./files/payment-proofs.ts";
import type { UserRecord } from "./models/user.ts";
import { presentUserCard } from "./present-user-card.ts";

/**
 * Tells a user and the administrators what has become of his account.
 * @param user as he is after the change
 */
export async function tellAccountUpdated(
  database: Database,
  uow: UnitOfWork,
  { user, reason }: { user: UserRecord; reason: AccountReason },
): Promise<void> {
  uow.addEvent(userStream(user._id), "account:updated", {
    approved: user.approved,
    role: user.role,
    allow_image_upload: user.allowImageUpload,
    image_credits: user.imageCredits,
    reason,
  });
  const proof = await findProofOf(database, user._id, uow.session);
  uow.addEvent(ADMINS_STREAM, "user:updated", presentUserCard(user, proof));
}
