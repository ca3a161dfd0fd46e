import { z } from "zod";
import { auditQuerySchema } from "../commands/list-audit.ts";
import type { AnswerDoc, RouteDoc } from "./route-doc.ts";

const username = z.object({ username: z.string() });
const done: AnswerDoc = {
  description: "A sentence that says what was done.",
  schema: "ActionDone",
};
const FORM = ["form", "multipart", "json"] as const;

/** Something that is done to one user. */
const userAction = (
  path: string,
  summary: string,
  more: Pick<RouteDoc, "body" | "description" | "refusals"> = {},
): RouteDoc => ({
  method: "post",
  path: `/admin/${path}/:username`,
  tag: "Administration",
  summary,
  access: "admin",
  params: username,
  answers: { 200: done },
  ...more,
  refusals: ["not-found", ...(more.refusals ?? [])],
});

export const ADMIN_DOCS: readonly RouteDoc[] = [
  {
    method: "get",
    path: "/admin/list-users",
    tag: "Administration",
    summary: "All users, the newest first",
    access: "admin",
    answers: { 200: { description: "Their cards.", schema: "UserList" } },
  },
  userAction("approve", "Let a user use the bot"),
  userAction("revoke", "Take that back", { refusals: ["own-account"] }),
  userAction("delete-user", "Delete a user and all that is his", { refusals: ["own-account"] }),
  userAction("delete-signal-history", "Delete all signals of a user"),
  userAction("delete-proof", "Delete a user's payment proof"),
  userAction("set-image-access", "Let a user upload chart images, or no longer", {
    body: { schema: "ImageAccess", types: FORM },
  }),
  userAction("grant-image-credits", "Add image credits to a user's balance", {
    description: "A negative number takes credits away; the balance never goes below 0.",
    body: { schema: "CreditGrant", types: FORM },
  }),
  {
    method: "post",
    path: "/admin/clear-all-signal-history",
    tag: "Administration",
    summary: "Delete all signals of all users",
    access: "admin",
    answers: { 200: done },
  },
  {
    method: "post",
    path: "/admin/update-payment-details",
    tag: "Administration",
    summary: "Change how to pay",
    description: "A field that is left out stays as it is.",
    access: "admin",
    body: { schema: "PaymentDetailsUpdate", types: ["json", "form"] },
    answers: { 200: done },
  },
  {
    method: "get",
    path: "/admin/chart-images",
    tag: "Administration",
    summary: "All uploaded chart images, the newest first",
    access: "admin",
    answers: { 200: { description: "With addresses that show them.", schema: "ChartImageList" } },
  },
  {
    method: "delete",
    path: "/admin/delete-chart-image/:filename",
    tag: "Administration",
    summary: "Delete a chart image",
    access: "admin",
    params: z.object({ filename: z.string() }),
    answers: { 200: done },
    refusals: ["not-found"],
  },
  {
    method: "post",
    path: "/admin/cleanup-images",
    tag: "Administration",
    summary: "Delete chart images that are old or belong to no signal",
    access: "admin",
    answers: { 200: { description: "How many are gone.", schema: "CleanupResult" } },
  },
  {
    method: "get",
    path: "/admin/audit",
    tag: "Administration",
    summary: "What administrators have done, the newest first",
    access: "admin",
    query: auditQuerySchema,
    answers: { 200: { description: "One page.", schema: "AuditPage" } },
  },
  {
    method: "get",
    path: "/admin/usage",
    tag: "Administration",
    summary: "What the analyses cost: signals, tokens and US dollars",
    description:
      "Of today, the last 7 and the last 30 days by UTC, in all and by model. Costs are known where the model's price is set. With a daily budget, also what has been spent of it since midnight UTC, by all calls, including those of analyses that have not finished.",
    access: "admin",
    answers: { 200: { description: "The sums.", schema: "Usage" } },
  },
  {
    method: "get",
    path: "/admin/health",
    tag: "Administration",
    summary: "How the system is: queue, workers and their providers, event feed",
    access: "admin",
    answers: { 200: { description: "As it is at this moment.", schema: "SystemHealth" } },
  },
];
