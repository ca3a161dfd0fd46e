import { meSchema, sessionSchema } from "@shared/contract/account.ts";
import {
  accountDeletionSchema,
  changePasswordRequestSchema,
  confirmTwoFactorSchema,
  disableTwoFactorSchema,
  forgotPasswordRequestSchema,
  loginRequestSchema,
  recoveryCodesSchema,
  registerRequestSchema,
  resetPasswordRequestSchema,
  sessionListSchema,
  startTwoFactorSchema,
  twoFactorSetupSchema,
  verifyEmailRequestSchema,
} from "@shared/contract/authentication.ts";
import { notificationListSchema, seenNotificationsSchema } from "@shared/contract/events.ts";
import { resultsEmailSchema } from "@shared/contract/followed.ts";
import { ownSubscriptionSchema } from "@shared/contract/subscription.ts";
import { z } from "zod";
import { defineRoute, done, type RateLimit } from "./define-route.ts";

/** The token cannot be guessed. This limits the cost of trying, since a reset hashes a password. */
const mailTokenLimit: RateLimit = {
  name: "mail-token",
  points: 60,
  per: "minute",
  by: ["address"],
  onlyAfter: "invalid-token",
};

/** Of calls that ask for the caller's own password. All share one limit of wrong ones. */
export const OWN_PASSWORD_ERRORS = ["wrong-password", "rate-limited"] as const;

const publicAccount = { tag: "Accounts", access: "public" } as const;
const ownAccount = { tag: "Accounts", access: "user" } as const;

export const accountRoutes = {
  register: defineRoute("POST /register", {
    ...publicAccount,
    summary: "Create an account",
    description: "An administrator must approve it. A verification email is sent.",
    // Enough for a classroom behind one address, too few to fill the database or to send mail in bulk.
    limits: [
      { name: "register", points: 100, per: "hour", by: ["address"], notAfter: "invalid-input" },
    ],
    request: { body: registerRequestSchema },
    responses: {
      201: { description: "The account is created and signed in.", schema: sessionSchema },
    },
    errors: ["auth/username-already-in-use", "auth/email-already-in-use"],
  }),
  logIn: defineRoute("POST /login", {
    ...publicAccount,
    summary: "Log in with a username or email address",
    limits: [
      // The address is part of the key, so that no user can lock another one out.
      {
        name: "login-name",
        points: 10,
        per: "minute",
        by: ["body.username", "address"],
        onlyAfter: "invalid-credentials",
      },
      // One password tried on many names.
      {
        name: "login-address",
        points: 100,
        per: "minute",
        by: ["address"],
        onlyAfter: "invalid-credentials",
      },
    ],
    request: { body: loginRequestSchema },
    responses: {
      200: {
        description:
          "A new session. It ends 24 hours after its last use, and 30 days after the sign-in.",
        schema: sessionSchema,
      },
    },
    errors: ["invalid-credentials", "two-factor-required", "rate-limited"],
  }),
  logOut: defineRoute("POST /logout", {
    ...ownAccount,
    summary: "End this session",
    responses: { 204: { description: "The session has ended." } },
  }),
  listSessions: defineRoute("GET /me/sessions", {
    ...ownAccount,
    summary: "Your sessions, the one used last first",
    responses: { 200: { description: "The sessions.", schema: sessionListSchema } },
  }),
  endSession: defineRoute("DELETE /me/sessions/:id", {
    ...ownAccount,
    summary: "End one of your sessions",
    request: { params: z.object({ id: z.string() }) },
    responses: { 204: { description: "The session has ended." } },
    errors: ["not-found"],
  }),
  getMe: defineRoute("GET /me", {
    ...ownAccount,
    scopes: ["read"],
    summary: "Your account",
    description: "Send `stream_positions` as `since` when you connect for push afterwards.",
    responses: { 200: { description: "The account.", schema: meSchema } },
  }),
  getSubscription: defineRoute("GET /me/subscription", {
    ...ownAccount,
    scopes: ["read"],
    summary: "Your subscription with all of its payments",
    responses: { 200: { description: "The subscription.", schema: ownSubscriptionSchema } },
  }),
  listNotifications: defineRoute("GET /me/notifications", {
    ...ownAccount,
    scopes: ["read"],
    summary: "Your last notifications",
    description:
      "At most 50 of the last 7 days, newest first. Administrators also get those of their own stream.",
    responses: { 200: { description: "The notifications.", schema: notificationListSchema } },
  }),
  markNotificationsSeen: defineRoute("POST /me/notifications/seen", {
    ...ownAccount,
    summary: "Mark your notifications as seen",
    description:
      "Takes the number of the last event of each stream that you have seen; lower numbers than before change nothing. " +
      "Your other tabs and devices receive `notifications:seen`.",
    limits: [{ name: "notifications-seen", points: 60, per: "minute", by: ["user"] }],
    request: { body: seenNotificationsSchema },
    responses: { 204: { description: "The notifications are marked as seen." } },
  }),
  getResultsEmail: defineRoute("GET /me/results-email", {
    ...ownAccount,
    summary: "Whether you get the monthly email about your results",
    responses: { 200: { description: "Off by default.", schema: resultsEmailSchema } },
  }),
  setResultsEmail: defineRoute("PUT /me/results-email", {
    ...ownAccount,
    summary: "Turn the monthly email about your results on or off",
    description:
      "It says what an account would have done that had followed your signals of the last month, with this start balance and risk. " +
      "It is sent at the start of a month while you have access and a verified address, unless the month had no trade. The first one is " +
      "about the month in which it is turned on.",
    limits: [{ name: "results-email", points: 60, per: "minute", by: ["user"] }],
    request: { body: resultsEmailSchema },
    responses: { 200: { description: "The setting.", schema: resultsEmailSchema } },
  }),
  downloadData: defineRoute("GET /me/data", {
    ...ownAccount,
    summary: "Download what is stored about you",
    description:
      "Account, sessions, networks of sign-ins, signals, watchlist, channels, images, credits, events of the last 7 days, and entries of the security log about you. Images are data URLs, newest first, up to 15 MB of chart images and 15 MB of proofs; of the others, `image` is null and `url` opens the image for 10 minutes.",
    limits: [{ name: "data-download", points: 10, per: "hour", by: ["user"] }],
    responses: { 200: { description: "The file.", contentType: "application/json" } },
  }),
  deleteAccount: defineRoute("DELETE /me", {
    ...ownAccount,
    summary: "Delete your account with all of its data",
    description: "Requires your `password`, and a `code` if your second factor is on.",
    request: { body: accountDeletionSchema },
    responses: { 204: { description: "The account is deleted." } },
    errors: ["last-admin", "reauthentication-required", ...OWN_PASSWORD_ERRORS],
  }),
  startTwoFactor: defineRoute("POST /me/two-factor", {
    ...ownAccount,
    summary: "Start to turn on the second factor",
    description:
      "Returns a new secret for an authenticator app (TOTP, RFC 6238). Requires your `password` 10 minutes after the sign-in and later.",
    request: { body: startTwoFactorSchema },
    responses: { 200: { description: "The secret.", schema: twoFactorSetupSchema } },
    errors: ["two-factor-enabled", "reauthentication-required", ...OWN_PASSWORD_ERRORS],
  }),
  confirmTwoFactor: defineRoute("POST /me/two-factor/confirm", {
    ...ownAccount,
    summary: "Turn on the second factor with a first code",
    description: "The recovery codes are shown this one time. Each works once instead of a code.",
    request: { body: confirmTwoFactorSchema },
    responses: { 200: { description: "The recovery codes.", schema: recoveryCodesSchema } },
    errors: ["two-factor-enabled", "invalid-code", "rate-limited"],
  }),
  disableTwoFactor: defineRoute("DELETE /me/two-factor", {
    ...ownAccount,
    summary: "Turn off the second factor",
    request: { body: disableTwoFactorSchema },
    responses: { 204: { description: "The second factor is off." } },
    errors: ["not-found", ...OWN_PASSWORD_ERRORS],
  }),
  verifyEmail: defineRoute("POST /verify-email", {
    ...publicAccount,
    summary: "Verify an email address with the token that was sent to it",
    limits: [mailTokenLimit],
    request: { body: verifyEmailRequestSchema },
    responses: { 200: done },
    errors: ["invalid-token"],
  }),
  declineRegistration: defineRoute("POST /decline-registration", {
    ...publicAccount,
    summary: "Delete an account that somebody else registered with your address",
    description:
      "Takes the token of the verification email. Accounts that are verified or in use stay.",
    limits: [mailTokenLimit],
    request: { body: verifyEmailRequestSchema },
    responses: { 200: done },
    errors: ["invalid-token"],
  }),
  resendVerification: defineRoute("POST /resend-verification", {
    ...ownAccount,
    summary: "Resend the verification email",
    limits: [{ name: "resend", points: 5, per: "hour", by: ["user"] }],
    responses: { 200: done },
  }),
  forgotPassword: defineRoute("POST /forgot-password", {
    ...publicAccount,
    summary: "Request a password reset email",
    description: "The response is the same whether or not the address is known.",
    limits: [
      {
        name: "forgot-email",
        points: 5,
        per: "hour",
        by: ["body.email"],
        notAfter: "invalid-input",
      },
      {
        name: "forgot-address",
        points: 50,
        per: "hour",
        by: ["address"],
        notAfter: "invalid-input",
      },
    ],
    request: { body: forgotPasswordRequestSchema },
    responses: { 200: done },
  }),
  resetPassword: defineRoute("POST /reset-password", {
    ...publicAccount,
    summary: "Set a new password with the token of a reset email",
    description:
      "Ends all sessions of the user, and turns off their channels other than email (`channel:disabled`). Verifies the address; if it never was before, the second factor and all channels are removed.",
    limits: [mailTokenLimit],
    request: { body: resetPasswordRequestSchema },
    responses: { 200: done },
    errors: ["invalid-token"],
  }),
  changePassword: defineRoute("POST /change-password", {
    ...ownAccount,
    summary: "Change the password",
    description:
      "Ends all other sessions of the user, and turns off their channels other than email (`channel:disabled`). Twenty wrong own passwords or codes in an hour, over all calls that ask for them, are refused with `rate-limited` from then on.",
    // More than the wrong passwords that have a limit of their own, so that right ones are what it limits.
    limits: [{ name: "change-password", points: 30, per: "10 minutes", by: ["user"] }],
    request: { body: changePasswordRequestSchema },
    responses: { 200: done },
    errors: [...OWN_PASSWORD_ERRORS],
  }),
};
