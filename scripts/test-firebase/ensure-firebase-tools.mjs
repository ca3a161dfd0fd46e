// @ts-check
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "../lib/cache-folder.mjs";
import { npmCommand } from "../lib/npm-command.mjs";
import { PlainError } from "../lib/plain-error.mjs";
import { withLock } from "../lib/process-lock.mjs";
import { runCommand } from "../lib/run-command.mjs";

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
 * @throws {PlainError} if they cannot be installed
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
  if (code !== 0) throw new PlainError(`firebase-tools cannot be installed:\n${stderr.trim()}`);
  rmSync(folder, { recursive: true, force: true });
  renameSync(draft, folder);
}
