import type { UserCard } from "@shared/contract/account.ts";
import type { UserRecord } from "@shared/node/models/user.ts";

/** A user as the admin list and the admin events show him. */
export function presentUserCard(user: UserRecord): UserCard {
  return {
    username: user.username,
    email: user.email,
    email_verified: user.emailVerified,
    role: user.role,
    approved: user.approved,
    allow_image_upload: user.allowImageUpload,
    image_credits: user.imageCredits,
    payment_proof: null,
    created_at: user.createdAt.toISOString(),
  };
}
