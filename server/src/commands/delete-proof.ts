import { AppError } from "@shared/node/app-error.ts";
import { removePaymentProof } from "@shared/node/files/remove-payment-proof.ts";
import type { UserRecord } from "@shared/node/models/user.ts";
import { presentUserCard } from "@shared/node/present-user-card.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import { noSuchUser } from "../errors.ts";
import { type AdminDeps, commitAdminChange, type UserOrder } from "./admin-change.ts";
import { findUserByName } from "./find-user.ts";

/**
 * Deletes a user's payment proof with its picture, and tells the user and the admins.
 * @throws AppError not-found if there is no such user, or he has none
 */
export async function deleteProof(
  deps: AdminDeps,
  { admin, username }: UserOrder,
): Promise<UserRecord> {
  const { database } = deps;
  const { _id } = await findUserByName(database, username);
  const lockKeys = [ADMINS_STREAM, userStream(_id)];
  return commitAdminChange(deps, { admin, lockKeys }, async (uow) => {
    const user = await database.users.findById(_id).session(uow.session).lean();
    if (!user) throw noSuchUser();
    if (!(await removePaymentProof(database, uow, _id))) {
      throw new AppError("not-found", `${user.username} has no payment proof.`);
    }
    uow.addEvent(userStream(_id), "proof:deleted", {});
    uow.addEvent(ADMINS_STREAM, "user:updated", presentUserCard(user));
    return user;
  });
}
