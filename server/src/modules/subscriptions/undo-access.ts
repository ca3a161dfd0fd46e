import { UNDO_SECONDS } from "@shared/contract/constants.ts";
import type { Database } from "@shared/database/database.ts";
import type { SubscriptionRecord } from "@shared/database/models/payment.ts";
import type { AccessChange, UserRecord } from "@shared/database/models/user.ts";
import { changeCredits } from "@shared/domain/credits.ts";
import { removeSubscriptionEmails } from "@shared/domain/subscription-email.ts";
import { addAccountUpdatedEvents } from "@shared/domain/user-card.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import type { AuthenticatedSession } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { commitOnUser } from "../users/manage-users.ts";
import { stateOf } from "./access-change.ts";
import { AUTOMATIC_APPROVER } from "./add-payment.ts";

/**
 * Restores a user's access, subscription, image upload, credits and proof as they were before the last approval or revocation, if the same
 * administrator made it a moment ago and nothing changed since.
 */
export function undoAccessChange(
  deps: ServerDeps,
  admin: AuthenticatedSession,
  username: string,
): Promise<UserRecord> {
  const { database } = deps;
  return commitOnUser(deps, admin, username, async (uow, user) => {
    const { accessChange: change } = user;
    const isOwn = change?.by === admin.user.username || change?.by === AUTOMATIC_APPROVER;
    if (!change || !isOwn || !isUndoable(user, change, uow.at)) {
      throw new AppError("not-found", `There is nothing to undo for ${user.username}.`);
    }
    await restorePayments(database, uow, user, change);
    const { approved, allowImageUpload } = change.before;
    const subscription = formerSubscription(user, change);
    const restored = await database.users
      .findOneAndUpdate(
        { _id: user._id },
        {
          $set: {
            approved,
            ...(subscription && { subscription }),
            ...(allowImageUpload !== undefined && { allowImageUpload }),
          },
          $unset: { accessChange: 1, ...(!subscription && { subscription: 1 }) },
        },
        { session: uow.session, returnDocument: "after" },
      )
      .lean();
    uow.log({
      type: "approval:changed",
      user: user.username,
      details: { approved, undone: true },
    });
    const current = restored ?? user;
    const reason = approved ? "approved" : "revoked";
    await addAccountUpdatedEvents(database, uow, { user: current, reason });
    return current;
  });
}

/** Credits of months that have started since are not granted again. */
function formerSubscription(
  { subscription: current }: UserRecord,
  { before: { subscription } }: AccessChange,
): SubscriptionRecord | undefined {
  if (!subscription || !current) return subscription;
  const isSame = subscription.startedAt.getTime() === current.startedAt.getTime();
  const creditedMonths = Math.min(subscription.months, current.creditedMonths);
  return isSame ? { ...subscription, creditedMonths } : subscription;
}

/** An administrator looks at an automatic approval when they have the time. */
function isUndoable(user: UserRecord, { at, by, after }: AccessChange, now: Date): boolean {
  const { approved, endsAt } = stateOf(user);
  const isSame = approved === after.approved && endsAt?.getTime() === after.endsAt?.getTime();
  const isRecent = now.getTime() - at.getTime() <= UNDO_SECONDS.accepted * 1_000;
  return isSame && (isRecent || by === AUTOMATIC_APPROVER);
}

async function restorePayments(
  database: Database,
  uow: UnitOfWork,
  { _id: userId }: UserRecord,
  { at, by, proof }: AccessChange,
): Promise<void> {
  const { session } = uow;
  await database.billingPeriods.deleteMany({ userId, createdAt: at, by }, { session });
  await database.billingPeriods.updateMany(
    { userId, revokedAt: at },
    { $unset: { revokedAt: 1 } },
    { session },
  );
  await takeCreditsBack(database, uow, { userId, at, by });
  await removeSubscriptionEmails(database, uow, userId, "subscription-started");
  if (!proof) return;
  const { _id, ...review } = proof;
  const undone = { "verification.state": "manual", "verification.problem": "undone" };
  const set = { ...review, ...(by === AUTOMATIC_APPROVER && undone) };
  const change = { $set: set, ...(!review.reviewedAt && { $unset: { reviewedAt: 1 as const } }) };
  await database.paymentProofs.updateOne({ _id }, change, { session });
}

/** Those of the month that the approval has started. */
async function takeCreditsBack(
  database: Database,
  uow: UnitOfWork,
  { userId, at, by }: { userId: UserRecord["_id"]; at: Date; by: string },
): Promise<void> {
  const granted = await database.creditEntries
    .find({ userId, at, period: { $exists: true } })
    .session(uow.session)
    .lean();
  const amount = granted.reduce((sum, entry) => sum + entry.amount, 0);
  if (amount === 0) return;
  const why = "The approval was undone.";
  await changeCredits(database, uow, { userId, kind: "grant", amount: -amount, by, why });
}
