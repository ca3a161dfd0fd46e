// @ts-check
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hashFiles, readIfPresent } from "./file-hash.mjs";
import { PlainError } from "./plain-error.mjs";
import { withLock } from "./process-lock.mjs";
import { runCommand } from "./run-command.mjs";

/** @typedef {{ version?: string, optional?: boolean, link?: boolean }} LockedPackage */
/** @typedef {{ packages?: Record<string, LockedPackage> }} Lockfile */

/**
 * Installs the packages that the lock file asks for, unless they are there already.
 *
 * @param {{ root: string, signal?: AbortSignal, say?: (line: string) => void }} options
 * @throws {PlainError} if npm fails; npm has said why
 */
export async function ensureDependencies({ root, signal, say = console.log }) {
  if (areDependenciesInstalled(root)) return;
  const install = async () => {
    if (areDependenciesInstalled(root)) return;
    say("Installing packages ...");
    await runNpm({ root, signal });
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
 * `npm install --no-save` keeps to the lock file and leaves it as it is. `npm ci` would do the same,
 * but refuses a lock file made where the registry lacked optional packages of other systems.
 *
 * @param {{ root: string, signal?: AbortSignal }} options
 */
async function runNpm({ root, signal }) {
  const npmArgs = ["install", "--no-save", "--include=dev", "--loglevel=error"];
  const npmScript = process.env.npm_execpath;
  const { code } = await runCommand({
    command: npmScript ? process.execPath : "npm",
    args: npmScript ? [npmScript, ...npmArgs] : npmArgs,
    cwd: root,
    env: { ...process.env, MONGOMS_DISABLE_POSTINSTALL: "1" },
    output: "inherit",
    signal,
  });
  signal?.throwIfAborted();
  if (code !== 0) throw new PlainError("The packages could not be installed; npm says why above.");
}
