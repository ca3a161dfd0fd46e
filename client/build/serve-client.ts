import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { loadWorkerSettings, readDotEnv, type WorkerSettings } from "@shared/runtime/settings.ts";
import sirv from "sirv";
import type { Command } from "../../scripts/lib/cli.ts";
import { clientFolder, ensureClientBuild } from "./client-build.ts";
import { COMMON_PAGE, SHARED_PAGE, TOKEN_PLACEHOLDER } from "./screen-pages.ts";
import {
  type HostSettings,
  pageHeaders,
  SECURITY_TXT_PATH,
  securityTxt,
  WIDGET_HEADERS,
  WIDGET_PATH,
} from "./web-headers.ts";

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
  const host = createWebHost(clientFolder(settings), settings);
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

export function createWebHost(
  folder: string,
  settings: HostSettings,
  now = () => new Date(),
): Server {
  const headers = new Map(Object.entries(pageHeaders(settings)));
  const widgetHeaders = new Map(Object.entries(WIDGET_HEADERS));
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
    const [path = ""] = (request.url ?? "").split("?");
    response.setHeaders(path === WIDGET_PATH ? widgetHeaders : headers);
    const send = (text: string, type = "text/plain") => {
      response.writeHead(200, {
        "Content-Type": `${type}; charset=utf-8`,
        "Cache-Control": "no-store",
      });
      response.end(text);
    };
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.writeHead(405, { Allow: "GET, HEAD" }).end();
      return;
    }
    if (path === "/healthz") return send("ok");
    if (path === SECURITY_TXT_PATH) return send(securityTxt(settings, now().getUTCFullYear()));
    const sharedPage = readSharedPage(folder, path);
    if (sharedPage) return send(sharedPage, "text/html");
    serveFile(request, response, () => void response.writeHead(404).end());
  });
}

const SHARED_PATH = /^\/shared\/([\w-]{43})$/;

/** The page of a shared signal with the token of its address; null for other addresses. */
function readSharedPage(folder: string, path: string): string | null {
  const [, token] = SHARED_PATH.exec(path) ?? [];
  if (!token) return null;
  return readFileSync(join(folder, SHARED_PAGE), "utf8").replaceAll(TOKEN_PLACEHOLDER, token);
}
