import { TEXTS } from "@shared/contract/texts.ts";
import { AppError } from "@shared/node/app-error.ts";
import { changeCredits } from "@shared/node/credits.ts";
import type { UserRecord } from "@shared/node/models/user.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import { noSuchUser } from "../errors.ts";
import { type AdminDeps, commitAdminChange, type UserOrder } from "./admin-change.ts";
import { findUserByName } from "./find-user.ts";

/**
 * Adds image credits to a user's balance, or takes some away, but no more than there are.
 * @param order.credits signed whole number
 * @throws AppError not-found; invalid-input where the balance would be larger than can be counted
 */
export async function grantCredits(
  deps: AdminDeps,
  order: UserOrder & { credits: number },
): Promise<UserRecord> {
  const { admin, username, credits } = order;
  const { database } = deps;
  const { _id } = await findUserByName(database, username);
  const lockKeys = [ADMINS_STREAM, userStream(_id)];
  return commitAdminChange(deps, { admin, lockKeys }, async (uow) => {
    const before = await database.users.findById(_id).session(uow.session).lean();
    if (!before) throw noSuchUser();
    if (!Number.isSafeInteger(before.imageCredits + credits)) throw invalidNumber();
    const after = await changeCredits(database, uow, {
      userId: _id,
      kind: "grant",
      amount: credits,
      by: admin.username,
      why: credits < 0 ? "Taken away by an administrator." : "Granted by an administrator.",
    });
    return after ?? before;
  });
}

function invalidNumber(): AppError {
  const message = TEXTS.invalidNumber;
  return new AppError("invalid-input", message, { errors: [{ field: "credits", message }] });
}
