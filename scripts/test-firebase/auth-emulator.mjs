// @ts-check
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PlainError } from "../lib/plain-error.mjs";
import { pickFreePort } from "../lib/ports.mjs";

/** The emulator asks nothing of a project whose name begins like this. */
const PROJECT = "demo-trading-signals";
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;
const POLL_MS = 200;

/**
 * Starts Firebase's own emulator of its authentication on free ports.
 *
 * @param {{ program: string, signal: AbortSignal }} options `program` of firebase-tools
 * @returns {Promise<{ url: string, project: string, stop: () => Promise<void> }>}
 * @throws {PlainError} if it does not start
 */
export async function startAuthEmulator({ program, signal }) {
  const folder = mkdtempSync(join(tmpdir(), "auth-emulator-"));
  const port = await pickFreePort();
  await writeConfiguration(folder, port);
  const args = [program, "emulators:start", "--only", "auth", "--project", PROJECT];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(child, "exit");
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
    });
  }
  const stop = async () => {
    child.kill("SIGINT");
    const kill = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
    await exited;
    clearTimeout(kill);
    rmSync(folder, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  try {
    await waitUntilUp({ url, isRunning: () => child.exitCode === null, signal });
  } catch (error) {
    await stop();
    if (!(error instanceof PlainError)) throw error;
    throw new PlainError(`${error.message}\n${output.trim()}`, { cause: error });
  }
  return { url, project: PROJECT, stop };
}

/**
 * @param {string} folder
 * @param {number} port
 */
async function writeConfiguration(folder, port) {
  const emulators = {
    auth: { host: "127.0.0.1", port },
    hub: { host: "127.0.0.1", port: await pickFreePort() },
    logging: { host: "127.0.0.1", port: await pickFreePort() },
    ui: { enabled: false },
  };
  writeFileSync(join(folder, "firebase.json"), JSON.stringify({ emulators }));
}

/** @param {{ url: string, isRunning: () => boolean, signal: AbortSignal }} options */
async function waitUntilUp({ url, isRunning, signal }) {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await isUp(url))) {
    if (!isRunning()) throw new PlainError("The emulator ended before it was ready.");
    if (Date.now() > deadline) throw new PlainError("The emulator is not ready in time.");
    await sleep(POLL_MS, undefined, { signal });
  }
}

/** @param {string} url */
async function isUp(url) {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    // Not up yet.
    return false;
  }
}
