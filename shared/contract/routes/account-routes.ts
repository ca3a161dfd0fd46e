import {
  changePasswordRequestSchema,
  forgotPasswordRequestSchema,
  loginRequestSchema,
  meSchema,
  registerRequestSchema,
  resetPasswordRequestSchema,
  sessionSchema,
  verifyEmailRequestSchema,
} from "@shared/contract/account.ts";
import { defineRoute, done, type RateLimit } from "./define-route.ts";

/** The token cannot be guessed. This limits the cost of trying, since a reset hashes a password. */
const mailTokenLimit: RateLimit = {
  name: "mail-token",
  points: 60,
  per: "minute",
  by: ["address"],
  onlyAfter: "invalid-token",
};

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
      // The address is part of the key, so that nobody can lock another user out.
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
    responses: { 200: { description: "A new session, valid for 7 days.", schema: sessionSchema } },
    errors: ["invalid-credentials"],
  }),
  getMe: defineRoute("GET /me", {
    ...ownAccount,
    summary: "Your account",
    description: "Send `stream_positions` as `since` when you connect for push afterwards.",
    responses: { 200: { description: "The account.", schema: meSchema } },
  }),
  verifyEmail: defineRoute("POST /verify-email", {
    ...publicAccount,
    summary: "Verify an email address with the token that was sent to it",
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
    description: "Ends all sessions of the user.",
    limits: [mailTokenLimit],
    request: { body: resetPasswordRequestSchema },
    responses: { 200: done },
    errors: ["invalid-token"],
  }),
  changePassword: defineRoute("POST /change-password", {
    ...ownAccount,
    summary: "Change the password",
    description: "Ends all other sessions of the user.",
    limits: [
      {
        name: "change-password",
        points: 10,
        per: "minute",
        by: ["user"],
        onlyAfter: "wrong-password",
      },
    ],
    request: { body: changePasswordRequestSchema },
    responses: { 200: done },
    errors: ["wrong-password"],
  }),
};
