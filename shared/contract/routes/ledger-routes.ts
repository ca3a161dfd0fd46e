import {
  LEDGER_HEADS_PAGE,
  LEDGER_PAGE,
  ledgerHeadSchema,
  ledgerHeadsSchema,
  ledgerPageSchema,
} from "@shared/contract/ledger.ts";
import { pageLimitSchema, wholeNumberSchema } from "@shared/contract/pagination.ts";
import {
  activitySchema,
  analystRecordQuerySchema,
  performanceExportQuerySchema,
  performanceQuerySchema,
  performanceSchema,
  recordPartsSchema,
} from "@shared/contract/performance.ts";
import { z } from "zod";
import { defineRoute, type RateLimit } from "./define-route.ts";

const ledgerQuerySchema = z.object({
  after: wholeNumberSchema(0)
    .default(0)
    .meta({ description: "Number of the last record that you already have" }),
  limit: pageLimitSchema("Records", LEDGER_PAGE),
  arm: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .meta({ description: "Only records of this arm of the bench" }),
});
export type LedgerQuery = z.infer<typeof ledgerQuerySchema>;

const ledgerHeadsQuerySchema = z.object({
  before: z.iso
    .date({ error: "Use a day such as 2025-01-31." })
    .optional()
    .meta({ description: "The `next_before` of the previous page: only earlier days" }),
  limit: pageLimitSchema("Heads", LEDGER_HEADS_PAGE),
});
export type LedgerHeadsQuery = z.infer<typeof ledgerHeadsQuerySchema>;

/** Enough to read the whole ledger page by page. */
const readLimit: RateLimit = { name: "ledger", points: 120, per: "minute", by: ["address"] };

const ledger = { tag: "Ledger", access: "public" } as const;

export const ledgerRoutes = {
  listRecords: defineRoute("GET /ledger", {
    ...ledger,
    summary: "Records of market analyses and outcomes, oldest first",
    description:
      "`hash` is the SHA-256 of the record's canonical JSON (RFC 8785) without `hash` itself. `prev_hash` is the hash of " +
      "the previous record, 64 zeros in the first. `reveal` opens `figures_commitment`: the SHA-256 of `salt` followed " +
      "by the canonical JSON of `figures`. It is null while the trade can still be entered.",
    limits: [readLimit],
    request: { query: ledgerQuerySchema },
    responses: { 200: { description: "One page.", schema: ledgerPageSchema } },
  }),
  getHead: defineRoute("GET /ledger/head", {
    ...ledger,
    summary: "Number and hash of the last record. Keep it to detect if the ledger is cut short",
    responses: { 200: { description: "The head.", schema: ledgerHeadSchema } },
  }),
  listHeads: defineRoute("GET /ledger/heads", {
    ...ledger,
    summary: "The heads of past days, newest first, and the witnesses of each",
    description:
      "A witness keeps the head where the operator cannot rewrite it. `status` is `pending` while a calendar waits for " +
      "Bitcoin.",
    limits: [readLimit],
    request: { query: ledgerHeadsQuerySchema },
    responses: { 200: { description: "One page.", schema: ledgerHeadsSchema } },
  }),
  getHeadProof: defineRoute("GET /ledger/heads/:day/ots", {
    ...ledger,
    summary: "OpenTimestamps proof of a day's head",
    description:
      "An .ots file with the proofs of all calendars. `ots verify -d <hash> <file>` checks it, with the `hash` of that day.",
    limits: [readLimit],
    request: {
      params: z.object({ day: z.string().meta({ description: "Day in UTC, such as 2025-01-31" }) }),
    },
    responses: { 200: { description: "The file.", contentType: "application/octet-stream" } },
    errors: ["not-found"],
  }),
  download: defineRoute("GET /ledger/download", {
    ...ledger,
    summary: "The whole ledger",
    description: "One JSON object per line, as in `entries` of a page.",
    limits: [{ name: "ledger-download", points: 20, per: "minute", by: ["address"] }],
    responses: { 200: { description: "The file.", contentType: "application/x-ndjson" } },
  }),
  getActivity: defineRoute("GET /activity", {
    tag: "Signals",
    summary: "The last trades of the record that are over",
    description: "Open trades are not listed. Without live signals, it lists those of demo data.",
    access: "public",
    responses: {
      200: {
        description: "Newest first.",
        schema: activitySchema,
        headers: { ETag: "For `If-None-Match`." },
      },
      304: { description: "Unchanged since the response with this `ETag`." },
    },
  }),
  getFeed: defineRoute("GET /feed.xml", {
    tag: "Signals",
    summary: "The last trades of the record that are over, as an Atom feed",
    access: "public",
    responses: {
      200: {
        description: "Newest first.",
        contentType: "application/atom+xml",
        headers: { ETag: "For `If-None-Match`." },
      },
      304: { description: "Unchanged since the response with this `ETag`." },
    },
  }),
  getPerformance: defineRoute("GET /performance", {
    tag: "Signals",
    summary: "Results of the signals of all users",
    description:
      "Win rate, expectancy and other metrics with their 95 % intervals, next to a random baseline. " +
      "Metrics with fewer than 30 signals are null. Past performance is not indicative of future results.",
    access: "public",
    request: { query: performanceQuerySchema },
    responses: { 200: { description: "The requested metrics.", schema: performanceSchema } },
  }),
  getRecordParts: defineRoute("GET /performance/parts", {
    tag: "Signals",
    summary: "Results of one analyst version and model, by class of markets and by timeframe",
    description:
      "Takes `analyst`, `version` and `model`, as `recorded.analysts` of `GET /performance` lists them. Parts are for " +
      "exploration: the best of many looks good by chance.",
    access: "public",
    limits: [{ name: "performance-parts", points: 120, per: "minute", by: ["address"] }],
    request: { query: analystRecordQuerySchema },
    responses: { 200: { description: "The parts that have signals.", schema: recordPartsSchema } },
  }),
  exportPerformance: defineRoute("GET /performance/export", {
    tag: "Signals",
    summary: "The closed trades behind the results, as a file",
    description:
      "CSV or a JSON array, oldest first. Names state units: prices are in the quote currency, R is the distance from " +
      "entry to stop. `outcome_provider` decided the trade: that of the analysis (`provider`), or, with `provider_changed`, " +
      "another one after 24 hours without candles. A trade with the reason `no-data` ended at the last known close, as of " +
      "`known_until_utc`. Takes the filters of `GET /performance`.",
    access: "public",
    limits: [{ name: "performance-export", points: 20, per: "minute", by: ["address"] }],
    request: { query: performanceExportQuerySchema },
    responses: { 200: { description: "The file.", contentType: ["text/csv", "application/json"] } },
  }),
};
