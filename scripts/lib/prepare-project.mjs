// @ts-check

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { CliError } from "./cli.mjs";
import { npmCommand, runCommand } from "./commands.mjs";
import { hashFiles, readIfPresent } from "./files.mjs";
import { withLock } from "./process-lock.mjs";

/**
 * What every command needs first: a Node.js that is new enough, the project's folder as the current
 * one, and the packages.
 *
 * @param {AbortSignal} [signal]
 */
export async function prepareProject(signal) {
  checkNodeVersion();
  process.chdir(projectRoot);
  await ensureDependencies({ root: projectRoot, signal });
}

const LOWEST = { major: 20, minor: 19 };

/**
 * @param {string} version as in `process.versions.node`
 * @throws {CliError} if the version is older than the project runs on
 */
export function checkNodeVersion(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > LOWEST.major || (major === LOWEST.major && minor >= LOWEST.minor)) return;
  throw new CliError(
    `Node.js ${LOWEST.major}.${LOWEST.minor} or newer is needed, and this is ${version}. Install it from https://nodejs.org and run the command again.`,
  );
}

/** @typedef {{ version?: string, optional?: boolean, link?: boolean }} LockedPackage */
/** @typedef {{ packages?: Record<string, LockedPackage> }} Lockfile */

/**
 * Installs the packages that the lock file asks for, unless they are there already.
 *
 * @param {object} options
 * @param {string} options.root
 * @param {AbortSignal} [options.signal]
 * @param {(line: string) => void} [options.say]
 * @param {"pipe" | "inherit"} [options.output] `inherit` shows npm's output, `pipe` hides it
 * @throws {CliError} if npm fails; npm has said why
 */
export async function ensureDependencies({ root, signal, say = console.log, output = "inherit" }) {
  if (areDependenciesInstalled(root)) return;
  const install = async () => {
    if (areDependenciesInstalled(root)) return;
    say("Installing packages ...");
    await runNpm({ root, signal, output });
    writeStamp(root);
  };
  await withLock(`install ${root}`, install, { signal });
}

/**
 * Are the packages those of package.json and package-lock.json? A stamp answers at once; without
 * one that fits, npm's own record of what it installed decides.
 *
 * @param {string} root
 */
export function areDependenciesInstalled(root) {
  if (!existsSync(join(root, "node_modules"))) return false;
  if (readIfPresent(stampFile(root)) === wantedStamp(root)) return true;
  const locked = readLockfile(join(root, "package-lock.json"));
  const installed = readLockfile(join(root, "node_modules", ".package-lock.json"));
  if (!locked || !installed || !isInstalled(locked, installed)) return false;
  writeStamp(root);
  return true;
}

/**
 * Does every package of the lock file stand in the record of installed ones, at the same version?
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

/** @param {string} root */
function stampFile(root) {
  return join(root, "node_modules", ".install-stamp");
}

/** @param {string} root */
function wantedStamp(root) {
  return hashFiles({ root, paths: ["package.json", "package-lock.json"] });
}

/** @param {string} root */
function writeStamp(root) {
  writeFileSync(stampFile(root), wantedStamp(root));
}

/**
 * @param {string} file
 * @returns {Lockfile | undefined}
 */
function readLockfile(file) {
  const text = readIfPresent(file);
  return text === undefined ? undefined : JSON.parse(text);
}

/**
 * `npm ci` installs exactly what the lock file names, and refuses one that does not match package.json.
 *
 * @param {{ root: string, signal?: AbortSignal, output: "pipe" | "inherit" }} options
 */
async function runNpm({ root, signal, output }) {
  const { code } = await runCommand({
    ...npmCommand(["ci", "--include=dev", "--loglevel=error"]),
    cwd: root,
    env: { ...process.env, MONGOMS_DISABLE_POSTINSTALL: "1" },
    output,
    signal,
  });
  signal?.throwIfAborted();
  if (code !== 0) throw new CliError("The packages could not be installed; npm says why above.");
}

/** The folder that holds package.json. */
export const projectRoot = fileURLToPath(new URL("../../", import.meta.url));
