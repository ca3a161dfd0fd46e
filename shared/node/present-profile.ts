import type { UserRecord } from "./models/user.ts";

/** What a user himself and the administrators alike see of him. */
export const presentProfile = (user: UserRecord) => ({
  username: user.username,
  email: user.email,
  email_verified: user.emailVerified,
  role: user.role,
  approved: user.approved,
  allow_image_upload: user.allowImageUpload,
  image_credits: user.imageCredits,
});
