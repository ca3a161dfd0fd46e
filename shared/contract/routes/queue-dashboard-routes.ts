import { jobActionSchema } from "@shared/contract/events/event-data.ts";
import { z } from "zod";
import { defineRoute } from "./define-route.ts";

const JOB_STATES = [
  "running",
  "scheduled",
  "queued",
  "completed",
  "failed",
  "repeating",
  "paused",
] as const;

const MAX_PAGE_SIZE = 200;

/** Query of Agendash's pages, with their names. */
const jobQuerySchema = z.object({
  job: z.string().max(100).optional(),
  state: z.enum(JOB_STATES).optional(),
  q: z.string().max(100).optional(),
  skip: z.coerce.number().int().min(0).max(1_000_000).default(0),
  limit: z.coerce.number().int().min(1).max(MAX_PAGE_SIZE).default(50),
});
export type JobQuery = z.infer<typeof jobQuerySchema>;

const objectIdSchema = z.string().regex(/^[0-9a-f]{24}$/);

const jobSelectionSchema = z
  .object({ jobIds: z.array(objectIdSchema).min(1).max(MAX_PAGE_SIZE) })
  .meta({ id: "JobSelection" });

/** The fields of a job that may be shown. Of its data, only the id of the analysis. */
const jobSchema = z.object({
  _id: z.string(),
  name: z.string(),
  data: z.object({ analysisId: objectIdSchema.optional() }).nullable().catch(null),
  priority: z.number().nullish(),
  nextRunAt: z.iso.datetime().nullish(),
  lastRunAt: z.iso.datetime().nullish(),
  lastFinishedAt: z.iso.datetime().nullish(),
  lockedAt: z.iso.datetime().nullish(),
  failedAt: z.iso.datetime().nullish(),
  failCount: z.number().nullish(),
  failReason: z.string().nullish(),
  repeatInterval: z.union([z.string(), z.number()]).nullish(),
  repeatTimezone: z.string().nullish(),
  disabled: z.boolean().nullish(),
  progress: z.number().nullish(),
});

const counts = Object.fromEntries(
  ["total", ...JOB_STATES].map((state) => [state, z.number().int()]),
);
const flags = Object.fromEntries(JOB_STATES.map((state) => [state, z.boolean()]));

/** One page of jobs, in the shape that Agendash gives. */
export const queuePageSchema = z
  .object({
    overview: z.array(z.object({ displayName: z.string(), ...counts })),
    /** `needed`: the product stops doing something without it, so that it cannot be deleted. */
    jobs: z.array(z.object({ job: jobSchema, needed: z.boolean(), ...flags })),
    total: z.number().int(),
    totalPages: z.number().int(),
  })
  .meta({ id: "QueuePage" });
export type QueuePage = z.infer<typeof queuePageSchema>;

/** Number of changed jobs, under Agendash's name for it. */
export const jobsChangedSchema = z
  .record(z.string(), z.union([z.number(), z.boolean()]))
  .meta({ id: "JobsChanged" });
export type JobsChanged = z.infer<typeof jobsChangedSchema>;

/** Agendash shows these as values of its own process. Here they are totals of all workers. */
const queueTotalsSchema = z
  .object({
    version: z.string(),
    queueName: z.string(),
    totalQueueSizeDB: z.number().int(),
    config: z.object({
      totalLockLimit: z.number().int(),
      maxConcurrency: z.number().int(),
      processEvery: z.string(),
    }),
    backend: z.object({ name: z.string(), hasNotificationChannel: z.boolean() }),
    internal: z.object({ localQueueProcessing: z.number().int() }),
    jobStatus: z.record(
      z.string(),
      z.object({ running: z.number().int(), locked: z.number().int() }),
    ),
    queuedJobs: z.number().int(),
    runningJobs: z.number().int(),
    lockedJobs: z.number().int(),
  })
  .meta({ id: "QueueFigures" });
export type QueueTotals = z.infer<typeof queueTotalsSchema>;

const dashboard = { tag: "Queue", access: "queue-dashboard" } as const;

/** The queue dashboard: its page and the requests that it makes. */
export const queueDashboardRoutes = {
  openPage: defineRoute("POST /admin/queue", {
    ...dashboard,
    access: "public",
    summary: "Open the queue dashboard with a ticket",
    description:
      "Only from the web pages, by their `Origin`. Sets a cookie for 30 minutes. Browsers get errors as a page.",
    request: { body: z.object({ ticket: z.string().max(100) }).meta({ id: "QueueAccess" }) },
    bodyTypes: ["form"],
    responses: {
      303: { description: "The ticket was valid.", headers: { Location: "The page." } },
    },
    errors: ["unauthenticated", "not-admin", "two-factor-enrolment-required", "foreign-origin"],
  }),
  getPage: defineRoute("GET /admin/queue", {
    ...dashboard,
    summary: "The queue dashboard",
    description: "Browsers get errors as a page.",
    responses: {
      200: { description: "The page.", contentType: "text/html" },
      302: { description: "To the URL with a slash.", headers: { Location: "The page." } },
    },
  }),
  getAsset: defineRoute("GET /admin/queue/assets/:file", {
    ...dashboard,
    summary: "Scripts and styles of the dashboard",
    request: { params: z.object({ file: z.string() }) },
    responses: { 200: { description: "The file.", contentType: "text/javascript" } },
    errors: ["not-found"],
  }),
  listJobs: defineRoute("GET /admin/queue/api", {
    ...dashboard,
    summary: "Jobs by state, latest first",
    request: { query: jobQuerySchema },
    responses: { 200: { description: "One page.", schema: queuePageSchema } },
  }),
  getTotals: defineRoute("GET /admin/queue/api/stats", {
    ...dashboard,
    summary: "Totals of all workers",
    responses: { 200: { description: "The totals.", schema: queueTotalsSchema } },
  }),
  getEvents: defineRoute("GET /admin/queue/api/events", {
    ...dashboard,
    summary: "Makes an open dashboard refresh while its session is valid",
    responses: { 200: { description: "Server-sent events.", contentType: "text/event-stream" } },
  }),
  changeJobs: defineRoute("POST /admin/queue/api/jobs/:action", {
    ...dashboard,
    summary: "Requeue, retry, delete, pause or resume jobs",
    description:
      "Only from the dashboard itself, by its `Origin`. Recorded in the security log. The jobs that the product always needs are not deleted (422).",
    request: { params: z.object({ action: jobActionSchema }), body: jobSelectionSchema },
    bodyTypes: ["json"],
    responses: { 200: { description: "Number of changed jobs.", schema: jobsChangedSchema } },
    errors: ["foreign-origin", "not-found"],
  }),
};
