import { createHash } from "node:crypto";
import Router from "@koa/router";
import { productVersion } from "@shared/node/settings.ts";
import type { AppRouter, AppState } from "../app-context.ts";
import { buildDocument } from "../openapi/build-document.ts";
import { DOCS_STYLE, renderDocsPage } from "../openapi/render-docs-page.ts";
import { ROUTE_DOCS } from "../openapi/route-docs.ts";
import type { ServerDeps } from "../server-deps.ts";

const styleHash = createHash("sha256").update(DOCS_STYLE).digest("base64");
const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${styleHash}'; frame-ancestors 'none'`;

/** The API's own description: for programs, and for people. */
export function createDocsRoutes({ settings }: Pick<ServerDeps, "settings">): AppRouter {
  const router = new Router<AppState>();
  const document = buildDocument({
    version: productVersion(),
    serverUrl: settings.VITE_API_URL,
    routes: ROUTE_DOCS,
  });
  const page = renderDocsPage(document);

  router.get("/openapi.json", (ctx) => {
    ctx.body = document;
  });

  router.get("/docs", (ctx) => {
    ctx.set("Content-Security-Policy", PAGE_POLICY);
    ctx.type = "html";
    ctx.body = page;
  });

  return router;
}
