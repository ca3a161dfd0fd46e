// @ts-check
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "./cache-folder.mjs";
import { mongodSources } from "./download-mongod.mjs";
import { findExecutables, isExecutable } from "./find-executable.mjs";
import { PlainError } from "./plain-error.mjs";
import { withLock } from "./process-lock.mjs";
import { runCommand } from "./run-command.mjs";

/** The oldest major version with everything that the product uses. */
const LOWEST_MAJOR = 6;

/**
 * @typedef {object} Mongod
 * @property {string} path
 * @property {string} version as `6.0.5`
 */

/**
 * @typedef {object} MongodSource a place to download a mongod from
 * @property {string} title
 * @property {(target: string) => Promise<void>} download puts the program at `target`; rejects if it cannot
 */

/**
 * Finds a mongod, or gets one: `MONGOMS_SYSTEM_BINARY`, `PATH`, the copy kept from an earlier
 * download, and then the sources in their order.
 *
 * @param {object} [options]
 * @param {NodeJS.ProcessEnv} [options.env]
 * @param {string} [options.folder] where downloads are kept
 * @param {readonly MongodSource[]} [options.sources]
 * @param {(line: string) => void} [options.say] told before anything that takes long
 * @returns {Promise<Mongod>}
 * @throws {PlainError} if there is none to be had
 */
export async function ensureMongod({
  env = process.env,
  folder = cacheFolder(env),
  sources = mongodSources,
  say = console.log,
} = {}) {
  const installed = await findInstalled(env);
  if (installed) return installed;
  const kept = join(folder, process.platform === "win32" ? "mongod.exe" : "mongod");
  const ready = await inspectMongod(kept);
  if (ready) return ready;
  mkdirSync(folder, { recursive: true });
  return withLock(kept, () => download({ target: kept, sources, say }));
}

/**
 * @param {string} path
 * @returns {Promise<Mongod | undefined>} undefined if it is missing, does not run here or is too old
 */
export async function inspectMongod(path) {
  if (!isExecutable(path)) return;
  const { stdout } = await runCommand({ command: path, args: ["--version"], timeoutMs: 15_000 });
  const version = /db version v(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  if (!version || Number.parseInt(version, 10) < LOWEST_MAJOR) return;
  return { path, version };
}

/** @param {NodeJS.ProcessEnv} env */
async function findInstalled(env) {
  const named = env.MONGOMS_SYSTEM_BINARY;
  if (named) {
    const mongod = await inspectMongod(named);
    if (mongod) return mongod;
    throw new PlainError(
      `MONGOMS_SYSTEM_BINARY: ${named} is not a mongod of version ${LOWEST_MAJOR} or newer that runs here`,
    );
  }
  for (const path of findExecutables(["mongod"], env.PATH)) {
    const mongod = await inspectMongod(path);
    if (mongod) return mongod;
  }
  return;
}

/** @param {{ target: string, sources: readonly MongodSource[], say: (line: string) => void }} options */
async function download({ target, sources, say }) {
  const madeMeanwhile = await inspectMongod(target);
  if (madeMeanwhile) return madeMeanwhile;
  const failures = [];
  for (const source of sources) {
    say(`Downloading MongoDB from ${source.title}; this is done once ...`);
    try {
      await source.download(target);
      const mongod = await inspectMongod(target);
      if (mongod) return mongod;
      failures.push(`${source.title}: it does not run on this system`);
    } catch (error) {
      failures.push(`${source.title}: ${error instanceof Error ? error.message : error}`);
    }
  }
  throw new PlainError(
    `No MongoDB found, and none could be downloaded (${failures.join("; ")}). Install MongoDB ${LOWEST_MAJOR} or newer so that mongod is on the PATH, or set MONGODB_URI to a replica set.`,
  );
}
