import type { AccountReason } from "@shared/contract/events/event-data.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import type { Types } from "mongoose";
import type { Database } from "../database/database.ts";
import type { CreditKind } from "../database/models/credit-entry.ts";
import type { UserRecord } from "../database/models/user.ts";
import { type AccountAudience, addAccountUpdatedEvents } from "./user-card.ts";

export interface CreditChange {
  userId: Types.ObjectId;
  kind: CreditKind;
  /** Whole number: negative for a spend, positive for a refund, either for a grant. */
  amount: number;
  /** A user name, or `system`. */
  by: string;
  why: string;
  /** The signal that is paid or refunded: at most one spend and one refund each. */
  signalId?: Types.ObjectId;
  /** The subscription month that is granted: at most one grant each. */
  period?: Date;
  isRefusal?: true;
}

const REASONS = {
  grant: "credits-granted",
  spend: "credit-spent",
  refund: "credit-refunded",
} as const satisfies Record<CreditKind, AccountReason>;

/**
 * Changes a balance and adds a credit entry and events, in the caller's transaction. The balance never falls below 0:
 * a negative grant stops there, and a spend is refused. Nothing is added if nothing changes, as for a second refund
 * of a signal or a second grant for a month.
 * @returns the user after the change; null, without a change, if the user is deleted or cannot pay
 * @throws RangeError for an amount with the wrong sign or that is not a whole number
 */
export async function changeCredits(
  database: Database,
  uow: UnitOfWork,
  order: CreditChange,
  audience?: AccountAudience,
): Promise<UserRecord | null> {
  assertSensible(order);
  const { session, at } = uow;
  const user = await database.users.findById(order.userId).session(session).lean();
  if (!user || (await isAlreadyEntered(database, uow, order))) return user;
  const amount = amountToApply(order, user.imageCredits);
  if (amount === null) return null;
  if (amount === 0) return user;
  const changed = await database.users
    .findOneAndUpdate(
      { _id: user._id, imageCredits: { $gte: -amount } },
      { $inc: { imageCredits: amount } },
      { session, returnDocument: "after" },
    )
    .lean();
  if (!changed) return null;
  await database.creditEntries.create([{ ...order, amount, balance: changed.imageCredits, at }], {
    session,
  });
  const reason = REASONS[order.kind];
  await addAccountUpdatedEvents(database, uow, { user: changed, reason, audience });
  return changed;
}

function assertSensible({ kind, amount }: CreditChange): void {
  const wrongSign = (kind === "spend" && amount >= 0) || (kind === "refund" && amount <= 0);
  if (!Number.isSafeInteger(amount) || wrongSign) {
    throw new RangeError(`${amount} is no amount for a ${kind} of credits`);
  }
}

async function isAlreadyEntered(
  database: Database,
  uow: UnitOfWork,
  { userId, signalId, period, kind }: CreditChange,
): Promise<boolean> {
  if (!signalId && !period) return false;
  const same = signalId ? { signalId, kind } : { userId, period };
  const entry = await database.creditEntries.exists(same).session(uow.session);
  return entry !== null;
}

function amountToApply({ kind, amount }: CreditChange, balance: number): number | null {
  if (balance + amount >= 0) return amount;
  return kind === "spend" ? null : -balance;
}
