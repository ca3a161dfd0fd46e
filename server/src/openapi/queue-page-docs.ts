import { z } from "zod";
import { jobQuerySchema } from "../queue-page/queue-answers.ts";
import { jobActionParamsSchema } from "../routes/queue-api-routes.ts";
import { queuePageQuerySchema } from "../routes/queue-page-routes.ts";
import type { RouteDoc } from "./route-doc.ts";

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
