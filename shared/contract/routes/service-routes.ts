import { marketsSchema } from "@shared/contract/markets.ts";
import { statusSchema } from "@shared/contract/status.ts";
import { z } from "zod";
import { defineRoute } from "./define-route.ts";

const healthSchema = z.object({ status: z.literal("ok") }).meta({ id: "Health" });

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
