import type { AccountReason } from "@shared/contract/events.ts";
import type { UserRecord } from "@shared/node/models/user.ts";
import { tellAccountUpdated } from "@shared/node/tell-account-updated.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import { noSuchUser } from "../errors.ts";
import { type AdminDeps, commitAdminChange, type UserOrder } from "./admin-change.ts";
import { findUserByName } from "./find-user.ts";

/** One thing that an administrator allows or forbids a user. */
export type AccountSwitch = Pick<UserRecord, "approved"> | Pick<UserRecord, "allowImageUpload">;

/**
 * Switches something of an account on or off, and tells the user and the admins. What is so already stays so, and is
 * not told again.
 * @throws AppError not-found
 */
export async function updateAccount(
  deps: AdminDeps,
  order: UserOrder & { fields: AccountSwitch; reason: AccountReason },
): Promise<UserRecord> {
  const { admin, username, fields, reason } = order;
  const { database } = deps;
  const { _id } = await findUserByName(database, username);
  const lockKeys = [ADMINS_STREAM, userStream(_id)];
  return commitAdminChange(deps, { admin, lockKeys }, async (uow) => {
    const { session } = uow;
    const user = await database.users
      .findOneAndUpdate(
        { _id, $nor: [fields] },
        { $set: fields },
        { session, returnDocument: "after" },
      )
      .lean();
    if (user) {
      await tellAccountUpdated(database, uow, { user, reason });
      return user;
    }
    const unchanged = await database.users.findById(_id).session(session).lean();
    if (!unchanged) throw noSuchUser();
    return unchanged;
  });
}
