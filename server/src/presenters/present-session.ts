import type { Session } from "@shared/contract/account.ts";
import type { UserRecord } from "@shared/node/models/user.ts";

/** What somebody gets who has logged in or registered. */
export function presentSession(user: UserRecord, token: string): Session {
  return { token, approved: user.approved, role: user.role, username: user.username };
}
