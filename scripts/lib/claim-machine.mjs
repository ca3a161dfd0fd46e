// @ts-check
import { mkdirSync, realpathSync } from "node:fs";
import { PlainError } from "./plain-error.mjs";
import { isPortFree, waitForFreePort } from "./ports.mjs";
import { tryLock } from "./process-lock.mjs";

/** Parts of a launcher that was killed are gone within this time. */
const LEAVING_MS = 6_000;

/** @typedef {{ API_PORT: number, CLIENT_PORT: number, DATA_DIR: string }} Claim */

/**
 * Makes sure that this is the only one running with its data folder and that its ports are free.
 *
 * @param {Claim} claim
 * @param {AbortSignal} signal
 * @returns {Promise<() => Promise<void>>} gives the data folder back
 * @throws {PlainError} saying what is taken
 */
export async function claimMachine(claim, signal) {
  if (claim.API_PORT === claim.CLIENT_PORT) {
    throw new PlainError("CLIENT_PORT: must differ from API_PORT");
  }
  mkdirSync(claim.DATA_DIR, { recursive: true });
  const release = await tryLock(`run ${realpathSync(claim.DATA_DIR)}`);
  const timeoutMs = release ? LEAVING_MS : 0;
  const taken = await findTakenPort(claim, { timeoutMs, signal });
  if (release && !taken) return release;
  await release?.();
  throw new PlainError(taken ? portMessage(taken) : folderMessage(claim.DATA_DIR));
}

/**
 * @param {Claim} claim
 * @param {{ timeoutMs: number, signal: AbortSignal }} options
 */
async function findTakenPort({ API_PORT, CLIENT_PORT }, options) {
  const ports = Object.entries({ API_PORT, CLIENT_PORT });
  for (const [name, port] of ports) {
    if (!(await waitForFreePort(port, options))) return { name, port };
  }
  // The first may have been taken while the second was waited for.
  return (await isPortFree(API_PORT)) ? undefined : { name: "API_PORT", port: API_PORT };
}

/** @param {{ name: string, port: number }} taken */
function portMessage({ name, port }) {
  return `Port ${port} is in use: it may be running already. Stop that one, or set ${name} to another port.`;
}

/** @param {string} folder */
function folderMessage(folder) {
  return `It is running already with the data in ${folder}. Stop that one, or set DATA_DIR to another folder.`;
}
