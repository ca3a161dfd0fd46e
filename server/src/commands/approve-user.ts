import type { UserRecord } from "@shared/node/models/user.ts";
import type { AdminDeps, UserOrder } from "./admin-change.ts";
import { updateAccount } from "./update-account.ts";

/**
 * Lets a user use the bot and see its history, from his next request on. May be repeated.
 * @throws AppError not-found
 */
export function approveUser(deps: AdminDeps, order: UserOrder): Promise<UserRecord> {
  return updateAccount(deps, { ...order, fields: { approved: true }, reason: "approved" });
}
