import { z } from "zod";
import type { AnswerDoc, RouteDoc } from "./route-doc.ts";

const done: AnswerDoc = {
  description: "A sentence that says what was done.",
  schema: "ActionDone",
};

export const ACCOUNT_DOCS: readonly RouteDoc[] = [
  {
    method: "post",
    path: "/register",
    tag: "Accounts",
    summary: "Make an account",
    description: "It waits for an administrator's approval. A mail asks to verify the address.",
    access: "public",
    body: { schema: "RegisterRequest", types: ["json", "form"] },
    answers: { 201: { description: "The account is made and logged in.", schema: "Session" } },
    refusals: ["auth/username-already-in-use", "auth/email-already-in-use", "rate-limited"],
  },
  {
    method: "post",
    path: "/login",
    tag: "Accounts",
    summary: "Log in by username or e-mail address",
    access: "public",
    body: { schema: "LoginRequest", types: ["json", "form"] },
    answers: { 200: { description: "A new session, good for 7 days.", schema: "Session" } },
    refusals: ["invalid-credentials", "rate-limited"],
  },
  {
    method: "get",
    path: "/me",
    tag: "Accounts",
    summary: "The caller's own account",
    description:
      "`stream_positions` holds the numbers to give as `since` when connecting for push afterwards.",
    access: "user",
    answers: { 200: { description: "The account as it is.", schema: "Me" } },
  },
  {
    method: "post",
    path: "/verify-email",
    tag: "Accounts",
    summary: "Confirm an e-mail address by the token that was mailed to it",
    access: "public",
    body: { schema: "VerifyEmailRequest", types: ["json", "form"] },
    answers: { 200: done },
    refusals: ["invalid-token", "rate-limited"],
  },
  {
    method: "post",
    path: "/resend-verification",
    tag: "Accounts",
    summary: "Have the mail sent again that asks to confirm the address",
    access: "user",
    answers: { 200: done },
    refusals: ["rate-limited"],
  },
  {
    method: "post",
    path: "/forgot-password",
    tag: "Accounts",
    summary: "Have a link mailed that sets a new password",
    description: "The answer is the same whether the address is known or not.",
    access: "public",
    body: { schema: "ForgotPasswordRequest", types: ["json", "form"] },
    answers: { 200: done },
    refusals: ["rate-limited"],
  },
  {
    method: "post",
    path: "/reset-password",
    tag: "Accounts",
    summary: "Set a new password by the token of that link",
    description: "Ends all sessions of the user.",
    access: "public",
    body: { schema: "ResetPasswordRequest", types: ["json", "form"] },
    answers: { 200: done },
    refusals: ["invalid-token", "rate-limited"],
  },
  {
    method: "post",
    path: "/change-password",
    tag: "Accounts",
    summary: "Change the password",
    description: "Ends all other sessions of the user.",
    access: "user",
    body: { schema: "ChangePasswordRequest", types: ["json", "form"] },
    answers: { 200: done },
    refusals: ["wrong-password", "rate-limited"],
  },
];

const filename = z.object({ filename: z.string() });
const picture = {
  200: {
    description: "The picture.",
    contentType: "image/*",
    headers: { ETag: "For `If-None-Match`." },
  },
  304: { description: "It is still the one that the caller has." },
} as const;

export const PAYMENT_DOCS: readonly RouteDoc[] = [
  {
    method: "get",
    path: "/payment-details",
    tag: "Payments",
    summary: "How to pay",
    access: "public",
    answers: {
      200: { description: "Methods without a text are not offered.", schema: "PaymentDetails" },
    },
  },
  {
    method: "post",
    path: "/submit-payment-proof",
    tag: "Payments",
    summary: "Send the proof of a payment",
    description: "It takes the place of an earlier one.",
    access: "user",
    body: { schema: "ProofForm", types: ["multipart"], files: ["proof_image"] },
    answers: { 201: { description: "The proof is stored.", schema: "ActionDone" } },
    refusals: ["rate-limited"],
  },
  {
    method: "get",
    path: "/payment_proofs/:filename",
    tag: "Files",
    summary: "The picture of a payment proof",
    access: "owner",
    params: filename,
    answers: picture,
    refusals: ["not-found"],
  },
  {
    method: "get",
    path: "/chart_uploads/:filename",
    tag: "Files",
    summary: "An uploaded chart image",
    access: "owner",
    params: filename,
    answers: picture,
    refusals: ["not-found"],
  },
];
