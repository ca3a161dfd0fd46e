import { performanceQuerySchema } from "@shared/contract/performance.ts";
import { z } from "zod";
import { ledgerHeadsQuerySchema, ledgerQuerySchema } from "../../modules/record/ledger.ts";
import { historyQuerySchema } from "../../modules/signals/queries.ts";
import { headersSchema } from "../../modules/signals/routes.ts";
import type { RouteDoc } from "./route-doc.ts";

const signalId = z.object({ id: z.string().meta({ description: "The `signal_id`." }) });

const acceptedAnswers = {
  200: {
    description:
      "The finished signal; a WAIT with `status` failed when data or AI failed for good.",
    schema: "Signal",
    headers: { Location: "Address of the signal." },
  },
  202: {
    description: "With `Prefer: respond-async`: accepted; the result is pushed.",
    schema: "SignalAccepted",
    headers: { Location: "Address of the signal.", "Preference-Applied": "`respond-async`." },
  },
} as const;

export const SIGNAL_DOCS: readonly RouteDoc[] = [
  {
    method: "post",
    path: "/get-signal",
    tag: "Signals",
    summary: "Ask for a signal",
    access: "approved",
    headers: headersSchema,
    body: { schema: "SignalRequest", types: ["json", "form"] },
    answers: acceptedAnswers,
    refusals: ["rate-limited", "timeout"],
  },
  {
    method: "post",
    path: "/get-signal-with-image",
    tag: "Signals",
    summary: "Ask for a signal that a chart image is looked at for",
    description:
      "Takes one image credit, which is refunded if no analysis results. Images that the model refuses are refunded at most 3 times per user and UTC day; a warning of the signal says if one is charged.",
    access: "approved",
    headers: headersSchema,
    body: { schema: "SignalRequest", types: ["multipart"], files: ["chart_image"] },
    answers: acceptedAnswers,
    refusals: ["image-not-allowed", "no-credits", "rate-limited", "timeout"],
  },
  {
    method: "get",
    path: "/signals/:id",
    tag: "Signals",
    summary: "One signal",
    access: "approved",
    params: signalId,
    answers: { 200: { description: "The signal as it stands.", schema: "Signal" } },
    refusals: ["not-found"],
  },
  {
    method: "get",
    path: "/signals/:id/candles",
    tag: "Signals",
    summary: "The closed candles that a signal was made from",
    access: "approved",
    params: signalId,
    answers: {
      200: {
        description: "Oldest first; none while the signal is not finished, or when it failed.",
        schema: "SignalCandles",
      },
    },
    refusals: ["not-found"],
  },
  {
    method: "get",
    path: "/signal-history",
    tag: "Signals",
    summary: "The caller's finished signals, newest first",
    access: "approved",
    query: historyQuerySchema,
    answers: { 200: { description: "One page.", schema: "SignalHistory" } },
  },
  {
    method: "get",
    path: "/performance",
    tag: "Signals",
    summary: "How the signals of all users turned out",
    description:
      "Win rate, expectancy and the rest with their 95 % intervals, beside what chance alone would give. " +
      "Figures with fewer than 30 signals behind them are null. Past results promise nothing.",
    access: "public",
    query: performanceQuerySchema,
    answers: { 200: { description: "The figures of what was asked for.", schema: "Performance" } },
  },
];

const sharedSignalId = z.object({ id: z.string().meta({ description: "The `signal_id`." }) });
const shareToken = z.object({ token: z.string().meta({ description: "Of the signal's link." }) });

export const SIGNAL_PAGE_DOCS: readonly RouteDoc[] = [
  {
    method: "get",
    path: "/signals/:id/since",
    tag: "Signals",
    summary: "What happened since a signal was made, and how that judged it",
    description: "For its owner, and for administrators.",
    access: "approved",
    params: sharedSignalId,
    answers: {
      200: {
        description: "Closed candles, oldest first; `judgement` is null while it is open.",
        schema: "SignalSince",
      },
    },
    refusals: ["not-found"],
  },
  {
    method: "post",
    path: "/signals/:id/share",
    tag: "Signals",
    summary: "Make a link that shows a signal to whoever has it",
    description: "The link before, if there is one, does not work any more.",
    access: "approved",
    params: sharedSignalId,
    answers: { 201: { description: "The token, which is shown this once.", schema: "ShareLink" } },
    refusals: ["not-found", "invalid-input"],
  },
  {
    method: "delete",
    path: "/signals/:id/share",
    tag: "Signals",
    summary: "Void the link to a signal",
    access: "approved",
    params: sharedSignalId,
    answers: { 200: { description: "It does not work any more.", schema: "ActionDone" } },
    refusals: ["not-found"],
  },
  {
    method: "get",
    path: "/shared/:token",
    tag: "Signals",
    summary: "A signal that its owner shows to others",
    description: "Without anything of its owner. Not for search engines.",
    access: "public",
    params: shareToken,
    answers: {
      200: {
        description: "The signal, its candles, and how it was judged.",
        schema: "SharedSignal",
        headers: { "X-Robots-Tag": "`noindex`." },
      },
    },
    refusals: ["not-found"],
  },
];

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
