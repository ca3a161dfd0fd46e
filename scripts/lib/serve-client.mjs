// @ts-check
import { once } from "node:events";
import process from "node:process";
import { clientFolder, ensureClientBuild } from "./client-build.mjs";
import { createWebHost } from "./web-host.mjs";

/** @typedef {import("../../shared/node/settings.ts").Settings} Settings */

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
