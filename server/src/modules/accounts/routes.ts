import { Readable } from "node:stream";
import { resetLinkSentMessage } from "@shared/contract/constants.ts";
import { accountRoutes } from "@shared/contract/routes/account-routes.ts";
import type { AppContext } from "../../http/context.ts";
import { unauthenticated } from "../../http/errors.ts";
import { clientNetwork, hashOf } from "../../http/rate-limits.ts";
import { type BoundRoute, handle } from "../../http/router.ts";
import { type Device, startSession } from "../../http/sessions.ts";
import { addLogEntry } from "../admin/security-log.ts";
import { deleteOwnAccount } from "../users/delete-user.ts";
import { exportData } from "./export-data.ts";
import type { AccountDeps } from "./identity/identity-provider.ts";
import { createSignInLimits, logIn, presentSession } from "./log-in.ts";
import { listNotifications, markNotificationsSeen } from "./notifications.ts";
import { endSession, getCurrentUser, listSessions } from "./own-account.ts";
import { changePassword, forgotPassword, resetPassword } from "./passwords.ts";
import { declineRegistration, registerUser } from "./register.ts";
import { presentResultsEmail, setResultsEmail } from "./results-email.ts";
import { confirmTwoFactor, disableTwoFactor, startTwoFactor } from "./two-factor.ts";
import { resendVerification, verifyEmail } from "./verify-email.ts";

/** Registration, sign-in, passwords and the user's own account. */
export const createAccountHandlers = (deps: AccountDeps): BoundRoute<AccountDeps>[] => {
  const loginDeps = { ...deps, startSignIn: createSignInLimits(deps) };
  return [
    handle(accountRoutes.logIn, ({ body }, { ctx }) => logIn(loginDeps, body, deviceOf(ctx))),
    ...accountHandlers,
    ...sessionHandlers,
  ];
};

const accountHandlers: BoundRoute<AccountDeps>[] = [
  handle(accountRoutes.register, async ({ body }, { ctx, deps }) => {
    const device = deviceOf(ctx);
    const user = await registerUser(deps, body, device.origin);
    const token = await startSession(deps, user, device);
    if (!token) throw unauthenticated();
    return presentSession(user, token);
  }),
  handle(accountRoutes.getMe, (_, { deps, session }) => getCurrentUser(deps, session.user._id)),
  handle(accountRoutes.listNotifications, (_, { deps, session }) =>
    listNotifications(deps, session.user),
  ),
  handle(accountRoutes.markNotificationsSeen, ({ body }, { deps, session }) =>
    markNotificationsSeen(deps, session.user, body),
  ),

  handle(accountRoutes.verifyEmail, async ({ body }, { deps }) => {
    await verifyEmail(deps, body);
    return { detail: "Your email address is verified." };
  }),
  handle(accountRoutes.declineRegistration, async ({ body }, { deps, origin }) => {
    await declineRegistration(deps, body, origin);
    return { detail: "The account is deleted." };
  }),
  handle(accountRoutes.resendVerification, async (_, { deps, session: { user } }) => {
    const result = await resendVerification(deps, user);
    return {
      detail:
        result === "sent"
          ? `A new verification link has been sent to ${user.email}.`
          : "Your email address is already verified.",
    };
  }),

  handle(accountRoutes.forgotPassword, async ({ body }, { deps, origin }) => {
    await forgotPassword(deps, body, origin);
    return { detail: resetLinkSentMessage(body.email) };
  }),
  handle(accountRoutes.resetPassword, async ({ body }, { ctx, deps }) => {
    await resetPassword(deps, body, deviceOf(ctx));
    return { detail: "Your password has been changed. Log in with the new one." };
  }),
  handle(accountRoutes.changePassword, async ({ body }, { deps, session }) => {
    await changePassword(deps, session, body);
    return { detail: "Your password has been changed." };
  }),
];

const sessionHandlers: BoundRoute<AccountDeps>[] = [
  handle(accountRoutes.logOut, async (_, { deps, session }) => {
    await endSession(deps, session, session.sessionId, "logged-out");
    return;
  }),
  handle(accountRoutes.listSessions, (_, { deps, session }) => listSessions(deps, session)),
  handle(accountRoutes.endSession, async ({ params }, { deps, session }) => {
    await endSession(deps, session, params.id, "revoked-session");
    return;
  }),
  handle(accountRoutes.startTwoFactor, ({ body }, { deps, session }) =>
    startTwoFactor(deps, session, body),
  ),
  handle(accountRoutes.confirmTwoFactor, ({ body }, { deps, session }) =>
    confirmTwoFactor(deps, session, body.code),
  ),
  handle(accountRoutes.disableTwoFactor, ({ body }, { deps, session }) =>
    disableTwoFactor(deps, session, body),
  ),
  handle(accountRoutes.getResultsEmail, (_, { session }) => presentResultsEmail(session.user)),
  handle(accountRoutes.setResultsEmail, ({ body }, { deps, session }) =>
    setResultsEmail(deps, session.user, body),
  ),
  handle(accountRoutes.downloadData, async (_, { ctx, deps, origin, session }) => {
    await addLogEntry(deps, origin, { type: "data:exported", user: session.user.username });
    ctx.attachment("my-data.json");
    return Readable.from(exportData(deps, session));
  }),
  handle(accountRoutes.deleteAccount, ({ body }, { deps, session }) =>
    deleteOwnAccount(deps, session, body),
  ),
];

const deviceOf = ({ ip, state }: AppContext): Device => ({
  origin: state.origin,
  network: hashOf(clientNetwork(ip)),
});
