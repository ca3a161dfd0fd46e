import type { Session } from "@shared/contract/account.ts";
import { resetLinkSentMessage } from "@shared/contract/messages.ts";
import { accountRoutes } from "@shared/contract/routes/account-routes.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { sessionOf } from "../../http/context.ts";
import { type BoundRoute, handle } from "../../http/router.ts";
import { issueToken } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { getCurrentUser } from "./get-current-user.ts";
import { logIn } from "./log-in.ts";
import { changePassword, forgotPassword, resetPassword } from "./passwords.ts";
import { registerUser } from "./register.ts";
import { resendVerification, verifyEmail } from "./verify-email.ts";

/** Registration, sign-in, passwords and the user's own account. */
export const createAccountRoutes = (deps: ServerDeps): BoundRoute[] => [
  handle(accountRoutes.register, async ({ body }) =>
    startSession(deps, await registerUser(deps, body)),
  ),
  handle(accountRoutes.logIn, async ({ body }) => startSession(deps, await logIn(deps, body))),
  handle(accountRoutes.getMe, (_, ctx) => getCurrentUser(deps, sessionOf(ctx).user._id)),

  handle(accountRoutes.verifyEmail, async ({ body }) => {
    await verifyEmail(deps, body);
    return { detail: "Your email address is verified." };
  }),
  handle(accountRoutes.resendVerification, async (_, ctx) => {
    const { user } = sessionOf(ctx);
    const result = await resendVerification(deps, user);
    return {
      detail:
        result === "sent"
          ? `A new verification link has been sent to ${user.email}.`
          : "Your email address is already verified.",
    };
  }),

  handle(accountRoutes.forgotPassword, async ({ body }) => {
    await forgotPassword(deps, body);
    return { detail: resetLinkSentMessage(body.email) };
  }),
  handle(accountRoutes.resetPassword, async ({ body }) => {
    await resetPassword(deps, body);
    return { detail: "Your password has been changed. Log in with the new one." };
  }),
  handle(accountRoutes.changePassword, async ({ body }, ctx) => {
    await changePassword(deps, sessionOf(ctx), body);
    return { detail: "Your password has been changed." };
  }),
];

function startSession(deps: ServerDeps, user: UserRecord): Session {
  const token = issueToken({ ...deps, user });
  return { token, approved: user.approved, role: user.role, username: user.username };
}
