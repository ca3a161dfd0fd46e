import { IMAGE_ANALYSIS_CREDITS } from "@shared/contract/constants.ts";
import { MESSAGES } from "@shared/contract/messages.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { AppError } from "@shared/runtime/app-error.ts";

/**
 * Chart images are for those whom an administrator has allowed them.
 * @throws AppError image-not-allowed
 */
export function assertImageAllowed(user: Pick<UserRecord, "allowImageUpload">): void {
  if (!user.allowImageUpload) {
    throw new AppError("image-not-allowed", "Chart images are not enabled for your account.");
  }
}

/**
 * An analysis of a chart image has to be paid for.
 * @throws AppError no-credits
 */
export function assertCanPayForImage(user: Pick<UserRecord, "imageCredits">): void {
  if (user.imageCredits < IMAGE_ANALYSIS_CREDITS) throw noCredits();
}

/** The balance is too low for the analysis of an image. */
export function noCredits(): AppError {
  return new AppError("no-credits", MESSAGES.noCredits);
}

/**
 * A stored file is for its owner and for administrators.
 * @throws AppError file-not-allowed
 */
export function assertMayReadFile(
  user: Pick<UserRecord, "_id" | "role">,
  file: { userId: UserRecord["_id"] },
): void {
  if (user.role === "admin" || user._id.equals(file.userId)) return;
  throw fileNotAllowed();
}

/** Somebody else's file, or an address that is not good any more. */
export function fileNotAllowed(): AppError {
  return new AppError("file-not-allowed", "You may not see this file, or its address has expired.");
}
