import { economicEventListSchema } from "@shared/contract/economic-events.ts";
import {
  MAX_MARKET_CANDLES,
  marketCandlesSchema,
  statusSchema,
  symbolSchema,
  timeframeSchema,
} from "@shared/contract/market-data.ts";
import { marketsSchema } from "@shared/contract/markets.ts";
import { wholeNumberSchema } from "@shared/contract/pagination.ts";
import { z } from "zod";
import { defineRoute } from "./define-route.ts";

const healthSchema = z.object({ status: z.literal("ok") }).meta({ id: "Health" });

const DEFAULT_CANDLES = 300;

const candlesQuerySchema = z.object({
  symbol: symbolSchema,
  timeframe: timeframeSchema,
  limit: wholeNumberSchema(1)
    .max(MAX_MARKET_CANDLES, { error: `Use at most ${MAX_MARKET_CANDLES}.` })
    .default(DEFAULT_CANDLES)
    .meta({ description: `Candles: ${DEFAULT_CANDLES} by default, at most ${MAX_MARKET_CANDLES}` }),
});
export type CandlesQuery = z.infer<typeof candlesQuerySchema>;

const service = { tag: "Service", access: "public" } as const;

export const serviceRoutes = {
  isAlive: defineRoute("GET /healthz", {
    ...service,
    summary: "Liveness check",
    responses: { 200: { description: "The process is running.", schema: healthSchema } },
    usesDatabase: false,
  }),
  isReady: defineRoute("GET /readyz", {
    ...service,
    summary: "Readiness check: the database responds and events arrive",
    responses: { 200: { description: "The server is ready.", schema: healthSchema } },
  }),
  getMetrics: defineRoute("GET /metrics", {
    ...service,
    summary: "Metrics of this server for Prometheus",
    description: "In production, only on `SERVER_METRICS_PORT`.",
    hiddenInProduction: true,
    responses: { 200: { description: "Prometheus text format.", contentType: "text/plain" } },
    usesDatabase: false,
  }),
  getStatus: defineRoute("GET /status", {
    ...service,
    summary: "Data source and analyst of a signal that is requested now",
    responses: { 200: { description: "Market data, analyst and version.", schema: statusSchema } },
  }),
  getMarkets: defineRoute("GET /markets", {
    ...service,
    summary: "Latest hourly closes of the suggested symbols",
    responses: {
      200: {
        description: "Prices, their change and recent closes.",
        // The schema is in zod/mini, which has no `meta`.
        schema: marketsSchema.register(z.globalRegistry, { id: "Markets" }),
      },
    },
  }),
  getEconomicEvents: defineRoute("GET /economic-events", {
    ...service,
    summary: "Scheduled events of the next 24 hours that concern a market",
    description: "Also those of the last 15 minutes, as prices may still jump.",
    limits: [{ name: "economic-events", points: 120, per: "minute", by: ["address"] }],
    request: { query: z.object({ symbol: symbolSchema }) },
    responses: {
      200: { description: "In order of their time.", schema: economicEventListSchema },
    },
  }),
  getCandles: defineRoute("GET /candles", {
    ...service,
    summary: "Current candles of a market",
    description:
      "May be cached until the next candle closes. To follow the open candle, revalidate with `If-None-Match`.",
    limits: [{ name: "candles", points: 240, per: "minute", by: ["address"] }],
    request: { query: candlesQuerySchema },
    responses: {
      200: {
        description: "Oldest first, the open candle last. A closed market has no open candle.",
        schema: marketCandlesSchema,
        headers: { ETag: "For `If-None-Match`." },
      },
      304: { description: "Unchanged since the response with this `ETag`." },
    },
    errors: ["unavailable"],
  }),
  getOpenApi: defineRoute("GET /openapi.json", {
    ...service,
    summary: "This description as OpenAPI",
    responses: {
      200: {
        description: "An OpenAPI 3.1 document.",
        schema: z.looseObject({ openapi: z.literal("3.1.0") }).meta({ id: "OpenApi" }),
      },
    },
    usesDatabase: false,
  }),
  getDocs: defineRoute("GET /docs", {
    ...service,
    summary: "This description as a page",
    description: "Not in production.",
    hiddenInProduction: true,
    responses: { 200: { description: "A page without scripts.", contentType: "text/html" } },
    usesDatabase: false,
  }),
};
