// @ts-check
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CliError } from "../lib/cli.mjs";
import { npmCommand, runCommand } from "../lib/commands.mjs";
import { cacheFolder } from "../lib/files.mjs";
import { withLock } from "../lib/process-lock.mjs";
import { pickFreePort } from "../lib/services/ports.mjs";

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
 * @throws {CliError} if it does not start
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
    if (!(error instanceof CliError)) throw error;
    throw new CliError(`${error.message}\n${output.trim()}`, { cause: error });
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
    if (!isRunning()) throw new CliError("The emulator ended before it was ready.");
    if (Date.now() > deadline) throw new CliError("The emulator is not ready in time.");
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

/** Kept fixed, so that what the emulator does changes only when somebody looks. */
const VERSION = "15.34.2";

/**
 * Firebase's command line tools with their emulators, installed on first use and kept: 240 MB, too much for
 * a package of the project.
 *
 * @param {object} [options]
 * @param {NodeJS.ProcessEnv} [options.env]
 * @param {(line: string) => void} [options.say] told before anything that takes long
 * @param {AbortSignal} [options.signal]
 * @returns {Promise<string>} path of the program, for Node.js to run
 * @throws {CliError} if they cannot be installed
 */
export async function ensureFirebaseTools({ env = process.env, say = console.log, signal } = {}) {
  const folder = join(cacheFolder(env), `firebase-tools-${VERSION}`);
  const program = join(folder, "node_modules", "firebase-tools", "lib", "bin", "firebase.js");
  if (existsSync(program)) return program;
  return withLock(folder, async () => {
    if (existsSync(program)) return program;
    say(`Installing firebase-tools ${VERSION}; this is done once ...`);
    await install(folder, signal);
    return program;
  });
}

/**
 * Into another folder until it is whole, so that half an installation is never taken for one.
 *
 * @param {string} folder
 * @param {AbortSignal} [signal]
 */
async function install(folder, signal) {
  const draft = `${folder}.part`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  const flags = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  const { code, stderr } = await runCommand({
    ...npmCommand(["install", "--prefix", draft, ...flags, `firebase-tools@${VERSION}`]),
    cwd: draft,
    signal,
  });
  signal?.throwIfAborted();
  if (code !== 0) throw new CliError(`firebase-tools cannot be installed:\n${stderr.trim()}`);
  rmSync(folder, { recursive: true, force: true });
  renameSync(draft, folder);
}
