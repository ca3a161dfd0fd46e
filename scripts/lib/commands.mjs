// @ts-check
import { spawn } from "node:child_process";
import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, delimiter, dirname, join } from "node:path";
import process from "node:process";

/**
 * Runs a command to its end. If it cannot be started, `code` is null and `stderr` says why.
 *
 * @param {object} options
 * @param {string} options.command
 * @param {readonly string[]} [options.args]
 * @param {string} [options.cwd]
 * @param {NodeJS.ProcessEnv} [options.env]
 * @param {"pipe" | "inherit"} [options.output] `inherit` shows the output instead of returning it
 * @param {number} [options.timeoutMs]
 * @param {AbortSignal} [options.signal] ends the command with SIGTERM
 * @returns {Promise<{ code: number | null, stdout: string, stderr: string }>}
 */
export function runCommand({ command, args = [], output = "pipe", timeoutMs, ...options }) {
  return new Promise((resolve) => {
    const result = { stdout: "", stderr: "" };
    const child = spawn(command, args, {
      ...options,
      timeout: timeoutMs,
      stdio: ["ignore", output, output],
    });
    child.stdout?.on("data", (chunk) => {
      result.stdout += chunk;
    });
    child.stderr?.on("data", (chunk) => {
      result.stderr += chunk;
    });
    child.on("error", (error) => resolve({ ...result, code: null, stderr: error.message }));
    child.on("close", (code) => resolve({ ...result, code }));
  });
}

/**
 * Absolute paths of all programs with these names, in the order in which a shell would find them.
 *
 * @param {readonly string[]} names
 * @param {string} [searchPath] as in `PATH`
 */
export function findExecutables(names, searchPath = process.env.PATH ?? "") {
  const folders = searchPath.split(delimiter).filter((folder) => folder !== "");
  const suffix = process.platform === "win32" ? ".exe" : "";
  return names
    .flatMap((name) => folders.map((folder) => join(folder, name + suffix)))
    .filter(isExecutable);
}

/** @param {string} file */
export function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * A command line that runs npm: the npm that started this process, the one installed beside Node.js, or the one on the
 * `PATH`. The first two run as scripts, because Windows starts `npm.cmd` only through a shell.
 *
 * @param {readonly string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, execPath?: string }} [options]
 * @returns {{ command: string, args: string[] }}
 */
export function npmCommand(args, { env = process.env, execPath = process.execPath } = {}) {
  const script = [env.npm_execpath, join(dirname(execPath), "node_modules/npm/bin/npm-cli.js")]
    // Other package managers set `npm_execpath` too, and have no `ci`.
    .find((file) => file && basename(file) === "npm-cli.js" && existsSync(file));
  return script
    ? { command: execPath, args: [script, ...args] }
    : { command: "npm", args: [...args] };
}

const { resolve } = createRequire(import.meta.url);

/**
 * The script of an installed package's command, to be run with Node.js: on Windows, the files in `node_modules/.bin` are
 * shell scripts, which cannot be spawned.
 *
 * @param {string} packageName
 * @param {string} [command] by default the package's name without its scope
 */
export function packageBin(packageName, command = packageName.slice(packageName.indexOf("/") + 1)) {
  const manifest = resolve(`${packageName}/package.json`);
  /** @type {{ bin: string | Record<string, string> }} */
  const { bin } = JSON.parse(readFileSync(manifest, "utf8"));
  const script = typeof bin === "string" ? bin : bin[command];
  if (!script) throw new Error(`${packageName} has no command ${command}`);
  return join(dirname(manifest), script);
}
