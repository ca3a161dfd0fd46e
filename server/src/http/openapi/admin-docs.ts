import { z } from "zod";
import { auditQuerySchema } from "../../modules/admin/audit-trail.ts";
import { jobQuerySchema } from "../../modules/queue-dashboard/agendash-schemas.ts";
import { jobActionParamsSchema } from "../../modules/queue-dashboard/api-routes.ts";
import { queuePageQuerySchema } from "../../modules/queue-dashboard/page-routes.ts";
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

export const QUEUE_PAGE_DOCS: readonly RouteDoc[] = [
  {
    method: "post",
    path: "/admin/queue/ticket",
    tag: "Queue",
    summary: "Get a ticket for the page of the job queue",
    description: "It opens `/admin/queue/?ticket=` once, within a minute.",
    access: "admin",
    answers: { 201: { description: "The ticket.", schema: "QueueTicket" } },
  },
  {
    method: "post",
    path: "/admin/queue/leave",
    tag: "Queue",
    summary: "Close the page of the job queue wherever this session has opened it",
    description: "To be called on signing out: a token is only thrown away, but a page stays.",
    access: "admin",
    answers: { 200: { description: "It is closed.", schema: "ActionDone" } },
  },
  {
    method: "get",
    path: "/admin/queue",
    tag: "Queue",
    summary: "The job queue, for people",
    description:
      "With a good ticket it sets a cookie for 30 minutes and leads to itself without the ticket. A browser is told of a refusal in a page.",
    access: "queue-page",
    query: queuePageQuerySchema,
    answers: {
      200: { description: "Agendash.", contentType: "text/html" },
      302: { description: "To the address with a slash.", headers: { Location: "The page." } },
      303: { description: "It is open now.", headers: { Location: "The page." } },
    },
  },
  {
    method: "get",
    path: "/admin/queue/assets/:file",
    tag: "Queue",
    summary: "Scripts and styles of the page",
    access: "queue-page",
    params: z.object({ file: z.string() }),
    answers: { 200: { description: "The file.", contentType: "text/javascript" } },
    refusals: ["not-found"],
  },
  {
    method: "get",
    path: "/admin/queue/api",
    tag: "Queue",
    summary: "Jobs by their state, the latest first",
    access: "queue-page",
    query: jobQuerySchema,
    answers: { 200: { description: "One page.", schema: "QueuePage" } },
  },
  {
    method: "get",
    path: "/admin/queue/api/stats",
    tag: "Queue",
    summary: "What all workers together have to do",
    access: "queue-page",
    answers: { 200: { description: "The sums.", schema: "QueueFigures" } },
  },
  {
    method: "get",
    path: "/admin/queue/api/events",
    tag: "Queue",
    summary: "Tells an open page to read anew, as long as it may",
    access: "queue-page",
    answers: { 200: { description: "Server-sent events.", contentType: "text/event-stream" } },
  },
  {
    method: "post",
    path: "/admin/queue/api/jobs/:action",
    tag: "Queue",
    summary: "Queue jobs again, try them again, delete, pause or resume them",
    description: "Only from the page itself, by its `Origin`. It stands in the audit trail.",
    access: "queue-page",
    params: jobActionParamsSchema,
    body: { schema: "JobSelection", types: ["json"] },
    answers: { 200: { description: "How many were changed.", schema: "JobsChanged" } },
    refusals: ["foreign-origin", "not-found"],
  },
];
