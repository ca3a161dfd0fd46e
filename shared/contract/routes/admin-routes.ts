import {
  creditGrantSchema,
  imageAccessSchema,
  overviewSchema,
  queueTicketSchema,
  roleChangeSchema,
  setupSchema,
  systemHealthSchema,
  usageSchema,
  userDetailsSchema,
  userListQuerySchema,
  userListSchema,
  usersEmailSchema,
} from "@shared/contract/admin.ts";
import { UNDO_SECONDS } from "@shared/contract/constants.ts";
import { chartImageListSchema, cleanupResultSchema } from "@shared/contract/files.ts";
import { transactionCheckSchema } from "@shared/contract/payment.ts";
import { rejectProofSchema } from "@shared/contract/proof-rejection.ts";
import { securityLogPageSchema, securityLogQuerySchema } from "@shared/contract/security-log.ts";
import {
  approvalSchema,
  paymentFilterSchema,
  paymentListQuerySchema,
  paymentListSchema,
  renewalSchema,
  subscriptionSummarySchema,
} from "@shared/contract/subscription.ts";
import { z } from "zod";
import { OWN_PASSWORD_ERRORS } from "./account-routes.ts";
import { defineRoute, done, filenameParams, idempotencyHeaders } from "./define-route.ts";

const userParams = z.object({ username: z.string() });

const administration = { tag: "Administration", access: "admin" } as const;
const queue = { tag: "Queue", access: "admin" } as const;

const userAction = {
  ...administration,
  request: { params: userParams },
  responses: { 200: done },
  errors: ["not-found"],
} as const;

export const adminRoutes = {
  listUsers: defineRoute("GET /admin/list-users", {
    ...administration,
    summary: "Users, newest first",
    request: { query: userListQuerySchema },
    responses: { 200: { description: "All users, or one page.", schema: userListSchema } },
  }),
  getUser: defineRoute("GET /admin/users/:username", {
    ...administration,
    summary: "A user with their last credits and signals",
    request: { params: userParams },
    responses: { 200: { description: "The user.", schema: userDetailsSchema } },
    errors: ["not-found"],
  }),
  approveUser: defineRoute("POST /admin/approve/:username", {
    ...userAction,
    summary: "Approve a user",
    description:
      "Also accepts their payment proof, which then no longer awaits review. With a plan, given or named in that proof, it starts a subscription now and grants the plan's image credits of the first month. Without one, the approval has no end. Changes nothing while a subscription runs.",
    request: { params: userParams, body: approvalSchema },
    bodyTypes: ["form", "multipart", "json"],
    errors: ["not-found", "subscription-running", "proof-changed"],
  }),
  renewSubscription: defineRoute("POST /admin/renew/:username", {
    ...userAction,
    summary: "Renew a user's subscription",
    description:
      "Continues from its end, or from now if it has ended. Starts a subscription if there is none. Accepts the payment proof that awaits review. Of renewals that arrive at the same time, the first one counts; send `ends_at` to extend that to pages that show an earlier state.",
    request: { params: userParams, headers: idempotencyHeaders, body: renewalSchema },
    bodyTypes: ["form", "multipart", "json"],
    errors: ["not-found", "proof-changed", "idempotency-conflict"],
  }),
  revokeUser: defineRoute("POST /admin/revoke/:username", {
    ...userAction,
    summary: "Revoke a user's approval",
    description: "Ends their subscription.",
    errors: ["not-found", "own-account"],
  }),
  undoAccess: defineRoute("POST /admin/undo/:username", {
    ...userAction,
    summary: "Undo your own approval or revocation of a user",
    description: `Possible for ${UNDO_SECONDS.offered} seconds, unless something changed since. Restores the access, the subscription, image upload, the credits and the payment proof as they were before.`,
  }),
  emailUsers: defineRoute("POST /admin/email-users", {
    ...administration,
    summary: "Send an email to users",
    description:
      "Plain text, to each user by themselves, with a greeting and a link to the dashboard. Sent by a worker.",
    limits: [{ name: "email-users", points: 20, per: "hour", by: ["user"] }],
    request: { body: usersEmailSchema },
    responses: { 202: done },
  }),
  deleteUser: defineRoute("POST /admin/delete-user/:username", {
    ...userAction,
    summary: "Delete a user and all of their data",
    errors: ["not-found", "own-account"],
  }),
  clearHistory: defineRoute("POST /admin/delete-signal-history/:username", {
    ...userAction,
    summary: "Delete all signals of a user",
  }),
  deleteProof: defineRoute("POST /admin/delete-proof/:username", {
    ...userAction,
    summary: "Delete a user's proof of payment",
  }),
  rejectProof: defineRoute("POST /admin/reject-proof/:username", {
    ...userAction,
    summary: "Reject a user's proof of payment",
    description:
      "Shows the user the reason, in the app and by email, and asks for a new one. The proof no longer awaits review. Approving the user later accepts it all the same.",
    request: { params: userParams, body: rejectProofSchema },
    bodyTypes: ["form", "multipart", "json"],
    errors: ["not-found", "proof-changed"],
  }),
  checkTransaction: defineRoute("GET /admin/payments/:username/transaction", {
    ...administration,
    summary: "What the blockchain says about the transaction that a user's proof names",
    limits: [{ name: "transaction", points: 60, per: "minute", by: ["user"] }],
    request: { params: userParams },
    responses: { 200: { description: "The lookup.", schema: transactionCheckSchema } },
    errors: ["not-found"],
  }),
  getSubscriptions: defineRoute("GET /admin/subscriptions", {
    ...administration,
    summary: "Numbers of subscriptions, monthly revenue and waiting proofs",
    responses: { 200: { description: "The current state.", schema: subscriptionSummarySchema } },
  }),
  listPayments: defineRoute("GET /admin/payments", {
    ...administration,
    summary: "Payments for subscriptions, newest first, and their totals by month",
    request: { query: paymentListQuerySchema },
    responses: { 200: { description: "One page.", schema: paymentListSchema } },
  }),
  exportSubscriptions: defineRoute("GET /admin/subscriptions/export", {
    ...administration,
    summary: "All payments for subscriptions, or those of a filter, as a CSV file, oldest first",
    request: { query: paymentFilterSchema },
    responses: { 200: { description: "One line per payment.", contentType: "text/csv" } },
  }),
  setImageAccess: defineRoute("POST /admin/set-image-access/:username", {
    ...userAction,
    summary: "Allow or forbid a user to upload chart images",
    request: { params: userParams, body: imageAccessSchema },
    bodyTypes: ["form", "multipart", "json"],
  }),
  grantCredits: defineRoute("POST /admin/grant-image-credits/:username", {
    ...userAction,
    summary: "Add image credits to a user's balance",
    description: "A negative number removes credits. The balance never falls below 0.",
    request: { params: userParams, headers: idempotencyHeaders, body: creditGrantSchema },
    bodyTypes: ["form", "multipart", "json"],
    errors: ["not-found", "idempotency-conflict"],
  }),
  setRole: defineRoute("POST /admin/set-role/:username", {
    ...userAction,
    summary: "Make a user an administrator, or an administrator a user",
    description:
      "Requires your own `password`, and a `code` if your second factor is on. Ends the user's sessions, even if they have that role.",
    request: { params: userParams, body: roleChangeSchema },
    bodyTypes: ["form", "multipart", "json"],
    errors: ["not-found", "last-admin", "reauthentication-required", ...OWN_PASSWORD_ERRORS],
  }),
  clearAllHistory: defineRoute("POST /admin/clear-all-signal-history", {
    ...administration,
    summary: "Delete all signals of all users",
    responses: { 200: done },
  }),
  listChartImages: defineRoute("GET /admin/chart-images", {
    ...administration,
    summary: "All uploaded chart images, newest first",
    responses: { 200: { description: "With signed URLs.", schema: chartImageListSchema } },
  }),
  deleteChartImage: defineRoute("DELETE /admin/delete-chart-image/:filename", {
    ...administration,
    summary: "Delete a chart image",
    request: { params: filenameParams },
    responses: { 200: done },
    errors: ["not-found"],
  }),
  cleanUpImages: defineRoute("POST /admin/cleanup-images", {
    ...administration,
    summary: "Delete chart images that are old or belong to no signal",
    responses: { 200: { description: "Number of deleted images.", schema: cleanupResultSchema } },
  }),
  readSecurityLog: defineRoute("GET /admin/security-log", {
    ...administration,
    summary:
      "Sign-ins, changes of accounts, actions of administrators and refused access, newest first",
    request: { query: securityLogQuerySchema },
    responses: { 200: { description: "One page.", schema: securityLogPageSchema } },
  }),
  getUsage: defineRoute("GET /admin/usage", {
    ...administration,
    summary: "Signals, tokens and cost of the analyses in US dollars",
    description:
      "Of today, the last 7 and the last 30 days in UTC, in total and by model. The cost is known for models with a price. With a daily budget, also the amount spent since midnight UTC by all calls, including those of unfinished analyses.",
    responses: { 200: { description: "The totals.", schema: usageSchema } },
  }),
  getOverview: defineRoute("GET /admin/overview", {
    ...administration,
    summary: "What awaits an administrator, and counts of users",
    responses: { 200: { description: "The current state.", schema: overviewSchema } },
  }),
  getSetup: defineRoute("GET /admin/setup", {
    ...administration,
    summary: "State of the steps after the installation",
    description: "Connects to the mail server. Contains no secrets.",
    responses: { 200: { description: "The current state.", schema: setupSchema } },
  }),
  getSystemHealth: defineRoute("GET /admin/health", {
    ...administration,
    summary: "State of the queue, the workers with their providers, and the event feed",
    responses: { 200: { description: "The current state.", schema: systemHealthSchema } },
  }),
  testModel: defineRoute("POST /admin/test-model", {
    ...administration,
    summary: "Test the AI model with one analysis of recorded candles",
    description:
      "A worker makes it within a minute, at the cost of one analysis; no signal and no record comes of it. `GET /admin/health` shows the result.",
    limits: [{ name: "test-model", points: 20, per: "hour", by: ["user"] }],
    responses: { 202: done },
    errors: ["unavailable"],
  }),
  createQueueTicket: defineRoute("POST /admin/queue/ticket", {
    ...queue,
    summary: "Create a ticket for the queue dashboard",
    description: "`POST /admin/queue` accepts it once, within a minute.",
    responses: { 201: { description: "The ticket.", schema: queueTicketSchema } },
  }),
};
