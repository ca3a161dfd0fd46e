import { Readable } from "node:stream";
import { resetLinkSentMessage } from "@shared/contract/messages.ts";
import { accountRoutes } from "@shared/contract/routes/account-routes.ts";
import { type AppContext, forRequest, sessionOf } from "../../http/context.ts";
import { unauthenticated } from "../../http/errors.ts";
import { clientNetwork, hashOf } from "../../http/rate-limits.ts";
import { type BoundRoute, handle } from "../../http/router.ts";
import { type Device, startSession } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { addLogEntry } from "../admin/security-log.ts";
import { deleteOwnAccount } from "../users/delete-user.ts";
import { endSession, listSessions } from "./account-sessions.ts";
import { exportData } from "./export-data.ts";
import { getCurrentUser } from "./get-current-user.ts";
import { type LoginDeps, logIn, presentSession } from "./log-in.ts";
import { changePassword, forgotPassword, resetPassword } from "./passwords.ts";
import { declineRegistration, registerUser } from "./register.ts";
import { createSignInLimits } from "./sign-in-limits.ts";
import { confirmTwoFactor, disableTwoFactor, startTwoFactor } from "./two-factor.ts";
import { resendVerification, verifyEmail } from "./verify-email.ts";

/** Registration, sign-in, passwords and the user's own account. */
export const createAccountRoutes = (deps: ServerDeps): BoundRoute[] => [
  handle(accountRoutes.register, async ({ body }, ctx) => {
    const user = await registerUser(forRequest(deps, ctx), body);
    const token = await startSession(forRequest(deps, ctx), user, deviceOf(ctx));
    if (!token) throw unauthenticated();
    return presentSession(user, token);
  }),
  createLogInRoute({ ...deps, startSignIn: createSignInLimits(deps) }),
  handle(accountRoutes.getMe, (_, ctx) => getCurrentUser(deps, sessionOf(ctx).user._id)),

  handle(accountRoutes.verifyEmail, async ({ body }) => {
    await verifyEmail(deps, body);
    return { detail: "Your email address is verified." };
  }),
  handle(accountRoutes.declineRegistration, async ({ body }, ctx) => {
    await declineRegistration(forRequest(deps, ctx), body);
    return { detail: "The account is deleted." };
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

  handle(accountRoutes.forgotPassword, async ({ body }, ctx) => {
    await forgotPassword(forRequest(deps, ctx), body);
    return { detail: resetLinkSentMessage(body.email) };
  }),
  handle(accountRoutes.resetPassword, async ({ body }, ctx) => {
    await resetPassword(forRequest(deps, ctx), body);
    return { detail: "Your password has been changed. Log in with the new one." };
  }),
  handle(accountRoutes.changePassword, async ({ body }, ctx) => {
    await changePassword(forRequest(deps, ctx), sessionOf(ctx), body);
    return { detail: "Your password has been changed." };
  }),
];

const createLogInRoute = (deps: LoginDeps): BoundRoute =>
  handle(accountRoutes.logIn, ({ body }, ctx) => logIn(forRequest(deps, ctx), body, deviceOf(ctx)));

/** Sessions, second factor and data of the user's own account. */
export const createSessionRoutes = (deps: ServerDeps): BoundRoute[] => [
  handle(accountRoutes.logOut, async (_, ctx) => {
    const session = sessionOf(ctx);
    await endSession(forRequest(deps, ctx), session, { ...session, reason: "logged-out" });
    return;
  }),
  handle(accountRoutes.listSessions, (_, ctx) => listSessions(deps, sessionOf(ctx))),
  handle(accountRoutes.endSession, async ({ params }, ctx) => {
    await endSession(forRequest(deps, ctx), sessionOf(ctx), {
      sessionId: params.id,
      reason: "revoked-session",
    });
    return;
  }),
  handle(accountRoutes.startTwoFactor, ({ body }, ctx) =>
    startTwoFactor(forRequest(deps, ctx), sessionOf(ctx), body),
  ),
  handle(accountRoutes.confirmTwoFactor, ({ body }, ctx) =>
    confirmTwoFactor(forRequest(deps, ctx), sessionOf(ctx).user, body.code),
  ),
  handle(accountRoutes.disableTwoFactor, ({ body }, ctx) =>
    disableTwoFactor(forRequest(deps, ctx), sessionOf(ctx), body),
  ),
  handle(accountRoutes.downloadData, async (_, ctx) => {
    const session = sessionOf(ctx);
    await addLogEntry(forRequest(deps, ctx), {
      type: "data:exported",
      user: session.user.username,
    });
    ctx.attachment("my-data.json");
    return Readable.from(exportData(deps, session));
  }),
  handle(accountRoutes.deleteAccount, ({ body }, ctx) =>
    deleteOwnAccount(forRequest(deps, ctx), sessionOf(ctx), body),
  ),
];

const MAX_USER_AGENT_LENGTH = 256;

const deviceOf = (ctx: AppContext): Device => ({
  userAgent: ctx.get("User-Agent").slice(0, MAX_USER_AGENT_LENGTH),
  network: hashOf(clientNetwork(ctx.ip)),
});
