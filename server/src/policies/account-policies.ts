import { AppError } from "@shared/node/app-error.ts";
import type { UserRecord } from "@shared/node/models/user.ts";

/**
 * Only approved users may use the bot and see its history; administrators count by their record, like anyone.
 * @throws AppError not-approved
 */
export function assertApproved(user: Pick<UserRecord, "approved">): void {
  if (!user.approved) {
    throw new AppError("not-approved", "Your account is waiting for approval.");
  }
}

/**
 * Only administrators may administer.
 * @throws AppError not-admin
 */
export function assertAdmin(user: Pick<UserRecord, "role">): void {
  if (user.role !== "admin") {
    throw new AppError("not-admin", "Only an administrator may do this.");
  }
}

/**
 * Nobody shuts himself out: so there is always an administrator left.
 * @throws AppError own-account
 */
export function assertNotOwnAccount(
  admin: Pick<UserRecord, "_id">,
  user: Pick<UserRecord, "_id">,
): void {
  if (user._id.equals(admin._id)) {
    throw new AppError("own-account", "You cannot do this to your own account.");
  }
}
