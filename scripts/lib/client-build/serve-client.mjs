// @ts-check
import { once } from "node:events";
import { createServer } from "node:http";
import process from "node:process";
import sirv from "sirv";
import { clientFolder, ensureClientBuild } from "./client-build.mjs";
import { COMMON_PAGE } from "./screen-pages.mjs";

/** @typedef {import("../../../shared/runtime/settings.ts").Settings} Settings */

/**
 * @typedef {(options: { settings: Settings, signal: AbortSignal }) => Promise<() => Promise<void>>} Serve
 * resolves when the pages can be opened, with what closes the host
 */

/** @type {Serve} */
export async function serveBuilt({ settings, signal }) {
  const say = console.log;
  await ensureClientBuild({ settings, say, signal });
  const host = createWebHost({ folder: clientFolder(settings), apiUrl: settings.VITE_API_URL });
  host.listen(settings.CLIENT_PORT);
  await once(host, "listening");
  say(`Web pages on http://localhost:${settings.CLIENT_PORT}`);
  return async () => {
    const closed = once(host, "close");
    host.close();
    host.closeIdleConnections();
    await closed;
  };
}

/** @type {Serve} */
export async function serveSources({ settings }) {
  process.env.VITE_API_URL = settings.VITE_API_URL;
  const { createServer } = await import("vite");
  const server = await createServer({
    server: { port: settings.CLIENT_PORT, strictPort: true },
  });
  await server.listen();
  return () => server.close();
}

const OFFLINE_VERIFIER = "/verify-ledger.html";
const IMMUTABLE = "public, max-age=31536000, immutable";

/**
 * The web host: the built pages, every screen's address answered with the application, and
 * `GET /healthz`. Not listening yet.
 *
 * @param {{ folder: string, apiUrl: string }} options
 */
export function createWebHost({ folder, apiUrl }) {
  const headers = new Map(Object.entries(securityHeaders(apiUrl)));
  const serveFile = sirv(folder, {
    single: COMMON_PAGE,
    brotli: true,
    gzip: true,
    etag: true,
    setHeaders(response, pathname) {
      // Built files carry a hash of their content in their names; all others may change any time.
      const isHashed = pathname.startsWith("/assets/");
      response.setHeader("Cache-Control", isHashed ? IMMUTABLE : "no-cache");
      // Saved and opened from disk: here the content policy would keep its script from running.
      if (pathname === OFFLINE_VERIFIER) response.setHeader("Content-Disposition", "attachment");
    },
  });
  return createServer((request, response) => {
    response.setHeaders(headers);
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.writeHead(405, { Allow: "GET, HEAD" }).end();
      return;
    }
    if (request.url === "/healthz") {
      response.writeHead(200, { "Content-Type": "text/plain", "Cache-Control": "no-store" });
      response.end("ok");
      return;
    }
    serveFile(request, response, () => {
      response.writeHead(404).end();
    });
  });
}

/** The market widgets: a script from one host, frames from the others. */
const WIDGET_SCRIPTS = "https://s3.tradingview.com";
const WIDGET_FRAMES = "https://*.tradingview.com https://*.tradingview-widget.com";

/**
 * Headers of every answer of the web host: the pages may talk to their API and show the market
 * widgets, and nothing else.
 *
 * @param {string} apiUrl address of the API host
 * @returns {Record<string, string>}
 */
export function securityHeaders(apiUrl) {
  const api = new URL(apiUrl).origin;
  const push = api.replace(/^http/, "ws");
  const policy = [
    "default-src 'self'",
    `script-src 'self' ${WIDGET_SCRIPTS}`,
    "style-src 'self' 'unsafe-inline'",
    `img-src 'self' data: blob: ${api}`,
    "font-src 'self' data:",
    `connect-src 'self' ${api} ${push}`,
    `frame-src ${WIDGET_SCRIPTS} ${WIDGET_FRAMES}`,
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ];
  return {
    "Content-Security-Policy": policy.join("; "),
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
  };
}
