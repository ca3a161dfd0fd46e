import type { UserRecord } from "@shared/node/models/user.ts";
import type { AdminDeps, UserOrder } from "./admin-change.ts";
import { updateAccount } from "./update-account.ts";

/**
 * Allows or forbids a user to send chart images. May be repeated.
 * @throws AppError not-found
 */
export function setImageAccess(
  deps: AdminDeps,
  order: UserOrder & { allow: boolean },
): Promise<UserRecord> {
  const { allow, ...whose } = order;
  return updateAccount(deps, {
    ...whose,
    fields: { allowImageUpload: allow },
    reason: "image-access",
  });
}
