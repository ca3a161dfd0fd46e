import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { loadWorkerSettings, readDotEnv, type WorkerSettings } from "@shared/runtime/settings.ts";
import sirv from "sirv";
import type { Command } from "../cli.ts";
import { clientFolder, ensureClientBuild } from "./client-build.ts";
import { COMMON_PAGE } from "./screen-pages.ts";

/** Serves the built web pages, or with `--dev` their sources, until the signal aborts. */
export async function main(command: Command): Promise<void> {
  readDotEnv();
  const settings = loadWorkerSettings();
  const isDev = command.args.includes("--dev");
  const close = isDev ? await serveSources(settings) : await serveBuilt(settings, command);
  if (!command.signal.aborted) await once(command.signal, "abort");
  await close();
}

type Close = () => Promise<unknown>;

async function serveBuilt(settings: WorkerSettings, command: Command): Promise<Close> {
  await ensureClientBuild(settings, command);
  const host = createWebHost({ folder: clientFolder(settings), apiUrl: settings.VITE_API_URL });
  host.listen(settings.CLIENT_PORT);
  await once(host, "listening");
  command.say(`Web pages on http://localhost:${settings.CLIENT_PORT}`);
  return async () => {
    const closed = once(host, "close");
    host.close();
    host.closeIdleConnections();
    await closed;
  };
}

async function serveSources({ VITE_API_URL, CLIENT_PORT }: WorkerSettings): Promise<Close> {
  process.env.VITE_API_URL = VITE_API_URL;
  const { createServer } = await import("vite");
  const server = await createServer({ server: { port: CLIENT_PORT, strictPort: true } });
  await server.listen();
  return () => server.close();
}

const OFFLINE_VERIFIER = "/verify-ledger.html";
const IMMUTABLE = "public, max-age=31536000, immutable";

/** The web host, not listening yet. */
export function createWebHost({ folder, apiUrl }: { folder: string; apiUrl: string }): Server {
  const headers = new Map(Object.entries(securityHeaders(apiUrl)));
  const serveFile = sirv(folder, {
    single: COMMON_PAGE,
    brotli: true,
    gzip: true,
    etag: true,
    setHeaders(response, pathname) {
      // Names of assets contain a hash of their content; all other files may change any time.
      const isHashed = pathname.startsWith("/assets/");
      response.setHeader("Cache-Control", isHashed ? IMMUTABLE : "no-cache");
      // It works from disk only: here the content policy would block its script.
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
    serveFile(request, response, () => void response.writeHead(404).end());
  });
}

/** The market widgets: a script from one host, frames from the others. */
const WIDGET_SCRIPTS = "https://s3.tradingview.com";
const WIDGET_FRAMES = "https://*.tradingview.com https://*.tradingview-widget.com";

/** Headers of every answer of the web host: pages may call their API and show the market widgets only. */
export function securityHeaders(apiUrl: string): Record<string, string> {
  const api = new URL(apiUrl).origin;
  const policy = [
    "default-src 'self'",
    `script-src 'self' ${WIDGET_SCRIPTS}`,
    "style-src 'self' 'unsafe-inline'",
    `img-src 'self' data: blob: ${api}`,
    "font-src 'self' data:",
    `connect-src 'self' ${api} ${api.replace(/^http/, "ws")}`,
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
