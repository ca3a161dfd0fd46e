// @ts-check
// Runs before packages are installed, so in plain Node.js.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { withLock } from "./process-lock.mjs";

/** The folder that holds package.json. */
export const projectRoot = fileURLToPath(new URL("../../", import.meta.url));

/** Checks Node.js, installs missing packages, and makes TypeScript modules importable. If it cannot, the process exits. */
export async function prepareTypeScript() {
  try {
    checkNodeVersion();
    process.chdir(projectRoot);
    await ensureDependencies({ root: projectRoot });
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
  const { register } = await import("tsx/esm/api");
  register();
}

const MIN_VERSION = { major: 20, minor: 19 };

/** @throws {Error} if the version is too old for the project */
export function checkNodeVersion(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const { major: minMajor, minor: minMinor } = MIN_VERSION;
  if (major > minMajor || (major === minMajor && minor >= minMinor)) return;
  throw new Error(
    `Node.js ${minMajor}.${minMinor} or newer is needed, and this is ${version}. Install it from https://nodejs.org and run the command again.`,
  );
}

/**
 * Installs the packages of the lock file unless they are installed already.
 * @param {{ root: string, say?: (line: string) => void, output?: "ignore" | "inherit" }} options
 */
export async function ensureDependencies({ root, say = console.log, output = "inherit" }) {
  const install = async () => {
    if (areDependenciesInstalled(root)) return;
    say("Installing packages ...");
    const { command, args, shell } = npmCommand(["ci", "--include=dev", "--loglevel=error"]);
    const npm = spawn(command, args, {
      shell,
      cwd: root,
      env: { ...process.env, MONGOMS_DISABLE_POSTINSTALL: "1" },
      stdio: ["ignore", output, output],
    });
    const [code] = await once(npm, "exit");
    if (code !== 0) throw new Error("The packages could not be installed; npm says why above.");
  };
  if (!areDependenciesInstalled(root)) await withLock(`install ${root}`, install);
}

/**
 * A command line that runs npm: on Windows through a shell, as `npm.cmd` does not start otherwise.
 * @param {readonly string[]} args
 */
export const npmCommand = (args) => ({
  command: "npm",
  args: [...args],
  shell: process.platform === "win32",
});

/**
 * Compares the lock file with npm's own record of what it installed. Optional packages are for other systems too and may
 * be missing.
 * @param {string} root
 */
export function areDependenciesInstalled(root) {
  const installedFile = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(installedFile)) return false;
  const installed = readPackages(installedFile);
  return Object.entries(readPackages(join(root, "package-lock.json")))
    .filter(([path, wanted]) => path !== "" && !wanted.optional && !wanted.link)
    .every(([path, wanted]) => installed[path]?.version === wanted.version);
}

/**
 * @param {string} lockFile
 * @returns {Record<string, { version?: string, optional?: boolean, link?: boolean }>}
 */
const readPackages = (lockFile) => JSON.parse(readFileSync(lockFile, "utf8")).packages ?? {};
