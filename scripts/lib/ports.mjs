// @ts-check
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * @param {number} port
 * @returns {Promise<boolean>} whether a server could listen on it now
 */
export async function isPortFree(port) {
  return (await canListen({ port })) && (await canListen({ port, host: "127.0.0.1" }));
}

/** @returns {Promise<number>} a port on which nobody listens at this moment */
export function pickFreePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

/**
 * Waits until a port is free, as it soon is when its last user is on the way out.
 *
 * @param {number} port
 * @param {{ timeoutMs: number, signal?: AbortSignal }} options
 * @returns {Promise<boolean>} false if it was still taken when the time ran out
 */
export async function waitForFreePort(port, { timeoutMs, signal }) {
  const deadline = Date.now() + timeoutMs;
  while (!(await isPortFree(port))) {
    if (Date.now() >= deadline) return false;
    await sleep(200, undefined, { signal });
  }
  return true;
}

/**
 * @param {import("node:net").ListenOptions} where
 * @returns {Promise<boolean>}
 */
function canListen(where) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(where, () => server.close(() => resolve(true)));
  });
}
