import { z } from "zod";
import { ledgerHeadsQuerySchema } from "../commands/list-ledger-heads.ts";
import { ledgerQuerySchema } from "../commands/read-ledger-page.ts";
import type { RouteDoc } from "./route-doc.ts";

export const LEDGER_DOCS: readonly RouteDoc[] = [
  {
    method: "get",
    path: "/ledger",
    tag: "Ledger",
    summary: "Records of market analyses and outcomes, oldest first, page by page",
    description:
      "`hash` is the SHA-256 of the record's canonical JSON (RFC 8785) without `hash` itself; `prev_hash` is that of " +
      "the record before, 64 zeros in the first. `reveal` opens `figures_commitment`: the SHA-256 of `salt` followed " +
      "by the canonical JSON of `figures`. It is null while a trade can still be made on them.",
    access: "public",
    query: ledgerQuerySchema,
    answers: { 200: { description: "One page.", schema: "LedgerPage" } },
    refusals: ["rate-limited"],
  },
  {
    method: "get",
    path: "/ledger/head",
    tag: "Ledger",
    summary: "The last record's number and hash; who keeps it notices if the ledger is cut short",
    access: "public",
    answers: { 200: { description: "The head.", schema: "LedgerHead" } },
  },
  {
    method: "get",
    path: "/ledger/heads",
    tag: "Ledger",
    summary: "The heads of past days, newest first, and the witnesses of each",
    description:
      "A witness keeps the head where the operator cannot rewrite it. `status` is `pending` while a calendar waits for " +
      "Bitcoin.",
    access: "public",
    query: ledgerHeadsQuerySchema,
    answers: { 200: { description: "One page.", schema: "LedgerHeads" } },
    refusals: ["rate-limited"],
  },
  {
    method: "get",
    path: "/ledger/heads/:day/ots",
    tag: "Ledger",
    summary: "OpenTimestamps proof of a day's head",
    description:
      "An .ots file with the proofs of all calendars. `ots verify -d <hash> <file>` checks it, with the `hash` of that day.",
    access: "public",
    params: z.object({ day: z.string().meta({ description: "Day in UTC, such as 2025-01-31" }) }),
    answers: { 200: { description: "The file.", contentType: "application/octet-stream" } },
    refusals: ["not-found", "rate-limited"],
  },
  {
    method: "get",
    path: "/ledger/download",
    tag: "Ledger",
    summary: "The whole ledger",
    description: "One JSON object a line, each as in `entries` of a page.",
    access: "public",
    answers: { 200: { description: "The file.", contentType: "application/x-ndjson" } },
    refusals: ["rate-limited"],
  },
];
