// @ts-check
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { CliError } from "./cli.mjs";
import { npmCommand, runCommand } from "./commands.mjs";
import { withLock } from "./process-lock.mjs";

/** The folder that holds package.json. */
export const projectRoot = fileURLToPath(new URL("../../", import.meta.url));

/** Folder for downloads, shared by all clones of this user. */
export function cacheFolder(env = process.env) {
  return join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "ai-trading-signals");
}

/**
 * Checks Node.js, installs missing packages, and makes TypeScript modules importable.
 *
 * @param {AbortSignal} [signal]
 */
export async function prepareTypeScript(signal) {
  checkNodeVersion();
  process.chdir(projectRoot);
  await ensureDependencies({ root: projectRoot, signal });
  const { register } = await import("tsx/esm/api");
  register();
}

const MIN_VERSION = { major: 20, minor: 19 };

/**
 * @param {string} version as in `process.versions.node`
 * @throws {CliError} if the version is too old for the project
 */
export function checkNodeVersion(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const { major: minMajor, minor: minMinor } = MIN_VERSION;
  if (major > minMajor || (major === minMajor && minor >= minMinor)) return;
  throw new CliError(
    `Node.js ${minMajor}.${minMinor} or newer is needed, and this is ${version}. Install it from https://nodejs.org and run the command again.`,
  );
}

/**
 * Installs the packages of the lock file unless they are installed already.
 *
 * @param {object} options
 * @param {string} options.root
 * @param {AbortSignal} [options.signal]
 * @param {(line: string) => void} [options.say]
 * @param {"pipe" | "inherit"} [options.output] `inherit` shows npm's output, `pipe` hides it
 * @throws {CliError} if npm fails
 */
export async function ensureDependencies({ root, signal, say = console.log, output = "inherit" }) {
  const install = async () => {
    if (areDependenciesInstalled(root)) return;
    say("Installing packages ...");
    const { code } = await runCommand({
      ...npmCommand(["ci", "--include=dev", "--loglevel=error"]),
      cwd: root,
      env: { ...process.env, MONGOMS_DISABLE_POSTINSTALL: "1" },
      output,
      signal,
    });
    signal?.throwIfAborted();
    if (code !== 0) throw new CliError("The packages could not be installed; npm says why above.");
  };
  if (!areDependenciesInstalled(root)) await withLock(`install ${root}`, install, { signal });
}

/**
 * Compares the lock file with npm's own record of what it installed.
 *
 * @param {string} root
 */
export function areDependenciesInstalled(root) {
  const installed = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(installed)) return false;
  return isInstalled(readLockfile(join(root, "package-lock.json")), readLockfile(installed));
}

/** @typedef {{ packages?: Record<string, { version?: string, optional?: boolean, link?: boolean }> }} Lockfile */

/**
 * Optional packages are for other systems too and may be missing.
 *
 * @param {Lockfile} locked
 * @param {Lockfile} installed
 */
export function isInstalled(locked, installed) {
  return Object.entries(locked.packages ?? {})
    .filter(([path, wanted]) => path !== "" && !wanted.optional && !wanted.link)
    .every(([path, wanted]) => installed.packages?.[path]?.version === wanted.version);
}

/**
 * @param {string} file
 * @returns {Lockfile}
 */
const readLockfile = (file) => JSON.parse(readFileSync(file, "utf8"));
