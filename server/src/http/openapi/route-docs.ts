import { ACCOUNT_DOCS, PAYMENT_DOCS } from "./account-docs.ts";
import { ADMIN_DOCS, QUEUE_PAGE_DOCS } from "./admin-docs.ts";
import type { RouteDoc } from "./route-doc.ts";
import { LEDGER_DOCS, SIGNAL_DOCS, SIGNAL_PAGE_DOCS } from "./signal-docs.ts";

const SERVICE_DOCS: readonly RouteDoc[] = [
  {
    method: "get",
    path: "/healthz",
    tag: "Service",
    summary: "Whether the process is up",
    access: "public",
    answers: { 200: { description: "It is.", schema: "Health" } },
    needsNothing: true,
  },
  {
    method: "get",
    path: "/readyz",
    tag: "Service",
    summary: "Whether it can serve: the database answers, and events arrive",
    access: "public",
    answers: { 200: { description: "It can.", schema: "Health" } },
  },
  {
    method: "get",
    path: "/metrics",
    tag: "Service",
    summary: "Figures of this server for Prometheus",
    access: "public",
    answers: {
      200: { description: "In Prometheus' text format.", contentType: "text/plain" },
    },
    needsNothing: true,
  },
  {
    method: "get",
    path: "/status",
    tag: "Service",
    summary: "What a signal asked for now would be made from",
    access: "public",
    answers: { 200: { description: "Market data, analyst, and version.", schema: "Status" } },
  },
  {
    method: "get",
    path: "/markets",
    tag: "Service",
    summary: "Latest hourly closes of the suggested symbols",
    access: "public",
    answers: {
      200: { description: "Prices, their change and the closes behind them.", schema: "Markets" },
    },
  },
  {
    method: "get",
    path: "/openapi.json",
    tag: "Service",
    summary: "This description, for programs",
    access: "public",
    answers: { 200: { description: "An OpenAPI 3.1 document.", schema: "OpenApi" } },
    needsNothing: true,
  },
  {
    method: "get",
    path: "/docs",
    tag: "Service",
    summary: "This description, for people",
    access: "public",
    answers: { 200: { description: "A page without scripts.", contentType: "text/html" } },
    needsNothing: true,
  },
];

/** Every route of the API, in the order in which it is read. */
export const ROUTE_DOCS: readonly RouteDoc[] = [
  ...ACCOUNT_DOCS,
  ...SIGNAL_DOCS,
  ...SIGNAL_PAGE_DOCS,
  ...LEDGER_DOCS,
  ...PAYMENT_DOCS,
  ...ADMIN_DOCS,
  ...QUEUE_PAGE_DOCS,
  ...SERVICE_DOCS,
];
