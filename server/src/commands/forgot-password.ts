import type { ForgotPasswordRequest } from "@shared/contract/account.ts";
import type { ServerDeps } from "../server-deps.ts";

/**
 * Has a link sent that sets a new password, if somebody has this address. Only the look-up is waited for, which
 * costs the same for every address: neither the answer nor its time tells whether there is an account.
 */
export async function forgotPassword(
  deps: Pick<ServerDeps, "database" | "identity" | "background">,
  { email }: ForgotPasswordRequest,
): Promise<void> {
  const user = await deps.database.users.findOne({ emailKey: email.toLowerCase() }).lean();
  deps.background.run("sending a password reset", () =>
    deps.identity.sendPasswordReset({ email: user?.email ?? email, user }),
  );
}
