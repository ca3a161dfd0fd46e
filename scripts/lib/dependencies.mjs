// @ts-check
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hashFiles, readIfPresent } from "./file-hash.mjs";
import { npmCommand } from "./npm-command.mjs";
import { PlainError } from "./plain-error.mjs";
import { withLock } from "./process-lock.mjs";
import { runCommand } from "./run-command.mjs";

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
 * @throws {PlainError} if npm fails; npm has said why
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
  if (code !== 0) throw new PlainError("The packages could not be installed; npm says why above.");
}
