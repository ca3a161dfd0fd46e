import { performanceQuerySchema } from "@shared/contract/performance.ts";
import { z } from "zod";
import { historyQuerySchema } from "../commands/list-signals.ts";
import { headersSchema } from "../routes/signal-routes.ts";
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
