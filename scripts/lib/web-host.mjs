// @ts-check
import { createServer } from "node:http";
import sirv from "sirv";
import { COMMON_PAGE } from "./screen-pages.mjs";
import { securityHeaders } from "./security-headers.mjs";

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
