// @ts-check
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { CliError } from "../cli.mjs";

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

const POLL_MS = 150;
const TIMEOUT_MS = 120_000;

/** A part that ends so often in a row before all is ready has a reason that waiting does not mend. */
const MOST_FAILURES = 5;

/**
 * Waits until every address answers with success.
 *
 * @param {object} options
 * @param {readonly string[]} options.addresses
 * @param {readonly { name: string, failures: number }[]} options.parts
 * @param {AbortSignal} options.signal
 * @throws {CliError} if a part keeps stopping, or it takes too long
 */
export async function waitUntilReady({ addresses, parts, signal }) {
  const deadline = Date.now() + TIMEOUT_MS;
  const waiting = new Set(addresses);
  while (waiting.size > 0) {
    for (const address of waiting) if (await isAnswering(address)) waiting.delete(address);
    const broken = parts.find((part) => part.failures >= MOST_FAILURES);
    if (broken) {
      throw new CliError(`The ${broken.name} does not start; its last lines above say why.`);
    }
    if (Date.now() > deadline) {
      throw new CliError(`No answer from ${[...waiting].join(", ")} in ${TIMEOUT_MS / 1000} s.`);
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}

/** @param {string} address */
async function isAnswering(address) {
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(2_000) });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    // Not up yet.
    return false;
  }
}
