import { IMAGE_ANALYSIS_CREDITS } from "@shared/contract/constants.ts";
import { MESSAGES } from "@shared/contract/messages.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { AppError } from "@shared/runtime/app-error.ts";

/** @throws AppError image-not-allowed */
export function assertImageAllowed(user: Pick<UserRecord, "allowImageUpload">): void {
  if (!user.allowImageUpload) {
    throw new AppError("image-not-allowed", "Chart images are not enabled for your account.");
  }
}

/** @throws AppError no-credits */
export function assertCanPayForImage(user: Pick<UserRecord, "imageCredits">): void {
  if (user.imageCredits < IMAGE_ANALYSIS_CREDITS) throw noCredits();
}

export function noCredits(): AppError {
  return new AppError("no-credits", MESSAGES.noCredits);
}

/** Only the owner and administrators may read a file. @throws AppError file-not-allowed */
export function assertMayReadFile(
  user: Pick<UserRecord, "_id" | "role">,
  file: { userId: UserRecord["_id"] },
): void {
  if (user.role === "admin" || user._id.equals(file.userId)) return;
  throw fileNotAllowed();
}

export function fileNotAllowed(): AppError {
  return new AppError(
    "file-not-allowed",
    "You do not have access to this file, or its URL has expired.",
  );
}
