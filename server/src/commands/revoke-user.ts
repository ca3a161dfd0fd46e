import type { UserRecord } from "@shared/node/models/user.ts";
import { assertNotOwnAccount } from "../policies/account-policies.ts";
import type { AdminDeps, UserOrder } from "./admin-change.ts";
import { findUserByName } from "./find-user.ts";
import { updateAccount } from "./update-account.ts";

/**
 * Takes the approval back; the user's next request is refused. May be repeated.
 * @throws AppError not-found, own-account
 */
export async function revokeUser(deps: AdminDeps, order: UserOrder): Promise<UserRecord> {
  assertNotOwnAccount(order.admin, await findUserByName(deps.database, order.username));
  return updateAccount(deps, { ...order, fields: { approved: false }, reason: "revoked" });
}
