import type { RegisterRequest } from "@shared/contract/account.ts";
import type { UserRecord } from "@shared/node/models/user.ts";
import { type AccountDeps, createAccount } from "./create-account.ts";

/**
 * Makes a new user, who waits for an administrator's approval, and mails him a link that confirms his address.
 * @throws AppError auth/username-already-in-use, auth/email-already-in-use; unavailable if the mail cannot be sent
 */
export function registerUser(deps: AccountDeps, request: RegisterRequest): Promise<UserRecord> {
  return createAccount(deps, {
    ...request,
    role: "user",
    approved: false,
    asksToVerifyEmail: true,
  });
}
