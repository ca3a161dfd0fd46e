import {
  adminBenchSchema,
  analystChoiceSchema,
  benchDetailsSchema,
  benchSchema,
} from "@shared/contract/analyst-bench.ts";
import { defineRoute, done } from "./define-route.ts";

const limits = [{ name: "bench", points: 120, per: "minute", by: ["address"] }] as const;

export const benchRoutes = {
  getBench: defineRoute("GET /bench", {
    tag: "Signals",
    summary: "Analysts that judge the same candles at the same time, compared in pairs",
    description:
      "Each arm makes shadow analyses that no user gets, recorded in the ledger before their outcome, with `arm`. They " +
      "count in no other record. A difference is `a` less `b` at the candles that both judged, a candle without a trade " +
      "as 0 R. `conclusive` may be looked at at any time: at most 5 % of all records ever have a false one, over all " +
      "pairs. Without a bench, both lists are empty.",
    access: "public",
    limits,
    responses: { 200: { description: "All arms and pairs.", schema: benchSchema } },
  }),
  getBenchDetails: defineRoute("GET /bench/details", {
    tag: "Signals",
    summary:
      "The markets of the bench, the results of its arms by day, and how many more candles it takes to know",
    access: "public",
    limits,
    responses: { 200: { description: "Of all arms and pairs.", schema: benchDetailsSchema } },
  }),
  getAdminBench: defineRoute("GET /admin/bench", {
    tag: "Administration",
    summary: "The arms of the bench with their state and what they spent today",
    access: "admin",
    responses: { 200: { description: "The current state.", schema: adminBenchSchema } },
  }),
  chooseAnalyst: defineRoute("POST /admin/bench/analyst", {
    tag: "Administration",
    summary: "Make an arm of the bench the analyst of the product, or end that",
    description:
      "Takes effect in all workers within ten seconds. The security log keeps what the bench said of the arm then. With " +
      "`arm` null, the analyst is that of the settings again. An arm without a name, or with a part of the evidence only, " +
      "cannot be the analyst.",
    access: "admin",
    request: { body: analystChoiceSchema },
    responses: { 200: done },
    errors: ["not-found"],
  }),
};
