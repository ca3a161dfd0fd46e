import { marketsSchema } from "@shared/contract/markets.ts";
import { statusSchema } from "@shared/contract/status.ts";
import { z } from "zod";
import { defineRoute } from "./define-route.ts";

const healthSchema = z.object({ status: z.literal("ok") }).meta({ id: "Health" });

export const serviceRoutes = {
  isAlive: defineRoute("GET /healthz", {
    tag: "Service",
    summary: "Liveness check",
    access: "public",
    responses: { 200: { description: "The process is running.", schema: healthSchema } },
    usesDatabase: false,
  }),
  isReady: defineRoute("GET /readyz", {
    tag: "Service",
    summary: "Readiness check: the database responds and events arrive",
    access: "public",
    responses: { 200: { description: "The server is ready.", schema: healthSchema } },
  }),
  getMetrics: defineRoute("GET /metrics", {
    tag: "Service",
    summary: "Metrics of this server for Prometheus",
    access: "public",
    responses: { 200: { description: "Prometheus text format.", contentType: "text/plain" } },
    usesDatabase: false,
  }),
  getStatus: defineRoute("GET /status", {
    tag: "Service",
    summary: "Data source and analyst of a signal that is requested now",
    access: "public",
    responses: { 200: { description: "Market data, analyst and version.", schema: statusSchema } },
  }),
  getMarkets: defineRoute("GET /markets", {
    tag: "Service",
    summary: "Latest hourly closes of the suggested symbols",
    access: "public",
    responses: {
      200: {
        description: "Prices, their change and recent closes.",
        // The schema is in zod/mini, which has no `meta`.
        schema: marketsSchema.register(z.globalRegistry, { id: "Markets" }),
      },
    },
  }),
  getOpenApi: defineRoute("GET /openapi.json", {
    tag: "Service",
    summary: "This description as OpenAPI",
    access: "public",
    responses: {
      200: {
        description: "An OpenAPI 3.1 document.",
        schema: z.looseObject({ openapi: z.literal("3.1.0") }).meta({ id: "OpenApi" }),
      },
    },
    usesDatabase: false,
  }),
  getDocs: defineRoute("GET /docs", {
    tag: "Service",
    summary: "This description as a page",
    access: "public",
    responses: { 200: { description: "A page without scripts.", contentType: "text/html" } },
    usesDatabase: false,
  }),
};
