import type { Database } from "@shared/database/database.ts";
import type { PaymentProofRecord } from "@shared/database/models/payment.ts";
import type { AccessChange, UserRecord } from "@shared/database/models/user.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";

/**
 * Notes what an administrator, or an automatic approval, has changed of a user's access, so that it can be undone for a short time.
 * @param change.before the user before it
 * @param change.after the user after it
 */
export async function noteAccessChange(
  { users }: Database,
  { session, at }: UnitOfWork,
  change: { before: UserRecord; after: UserRecord; by: string; proof?: PaymentProofRecord | null },
): Promise<void> {
  const { before, after, by, proof } = change;
  const { approved, subscription } = before;
  const isUploadNew = after.allowImageUpload && !before.allowImageUpload;
  const accessChange: AccessChange = {
    at,
    by,
    before: {
      approved,
      ...(subscription && { subscription }),
      ...(isUploadNew && { allowImageUpload: false }),
    },
    after: stateOf(after),
    ...(proof && { proof: { _id: proof._id, ...reviewOf(proof) } }),
  };
  await users.updateOne({ _id: after._id }, { $set: { accessChange } }, { session });
}

export const stateOf = ({ approved, subscription }: UserRecord): AccessChange["after"] => ({
  approved,
  ...(subscription && { endsAt: subscription.endsAt }),
});

const reviewOf = ({ reviewedAt, rejection }: PaymentProofRecord) => ({
  ...(reviewedAt && { reviewedAt }),
  ...(rejection && { rejection }),
});
