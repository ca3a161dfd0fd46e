// @ts-check
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";

/**
 * What a command gets from `scripts/run.mjs`.
 *
 * @typedef {object} Command
 * @property {readonly string[]} args
 * @property {(line: string) => void} say
 * @property {AbortSignal} signal aborts when the user stops the command
 */

/** Exit code of a command that the user stopped. */
export const EXIT_STOPPED = 130;

/** A failure that its message explains; it is shown without a stack. */
export class CliError extends Error {
  /** @override */
  name = "CliError";
}

/** Errors of other modules that are shown without a stack too. */
const EXPECTED_ERRORS = new Set(["CliError", "SettingsError"]);

/**
 * Runs a command. If it fails, the reason goes to stderr and the exit code is 1; stopping it is not a failure.
 *
 * @param {() => Promise<void>} command
 */
export async function reportErrors(command) {
  try {
    await command();
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") return;
    const isExpected = error instanceof Error && EXPECTED_ERRORS.has(error.name);
    console.error(isExpected ? error.message : error);
    process.exitCode = 1;
  }
}

/** One Ctrl-C can arrive twice: from the terminal, and passed on by npm. */
const SAME_STOP_MS = 1_000;

/**
 * Aborts on Ctrl-C, SIGTERM, a closed terminal, or when the npm that runs this command exits.
 *
 * @param {object} options
 * @param {() => void} options.onSecond called when the user stops the command a second time
 * @param {import("node:events").EventEmitter} [options.events] where signals of the system arrive
 * @returns {AbortSignal}
 */
export function listenForStop({ onSecond, events = process }) {
  const controller = new AbortController();
  let firstAt = 0;
  const stop = () => {
    if (!controller.signal.aborted) {
      firstAt = Date.now();
      controller.abort();
      return;
    }
    if (Date.now() - firstAt > SAME_STOP_MS) onSecond();
  };
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) events.on(name, stop);
  whenNpmExits(() => controller.abort());
  return controller.signal;
}

const CHECK_INTERVAL_MS = 250;

/**
 * Calls `onExit` when the npm that runs this command has exited; does nothing if npm does not run it.
 *
 * npm runs a command through `sh -c` and sends signals to that shell only. Some shells replace themselves with the
 * command; others, such as Debian's, exit on SIGTERM without passing it on.
 *
 * @param {() => void} onExit
 */
export function whenNpmExits(onExit) {
  if (!process.env.npm_lifecycle_event) return;
  const atStart = npmProcessIds();
  const timer = setInterval(() => {
    if (npmProcessIds() === atStart) return;
    clearInterval(timer);
    onExit();
  }, CHECK_INTERVAL_MS);
  timer.unref();
}

/** The parent process and, if that is npm's shell, the parent of the shell. The system replaces one that exits. */
function npmProcessIds() {
  try {
    const status = readFileSync(`/proc/${process.ppid}/status`, "utf8");
    const npm = /^Name:\tsh$/m.test(status) ? /^PPid:\t\d+$/m.exec(status)?.[0] : "";
    return `${process.ppid} ${npm}`;
  } catch {
    // Only Linux has this file; on other systems, `sh` replaces itself with the command.
    return `${process.ppid}`;
  }
}

/**
 * The path of a file that the user typed, relative to the folder in which they called npm.
 *
 * @param {string} file
 */
export const resolveTyped = (file) => resolve(process.env.INIT_CWD ?? "", file);

/**
 * As `parseArgs` of Node.js.
 *
 * @template {import("node:util").ParseArgsConfig} const Config
 * @param {Config} config
 * @param {string} usage
 * @throws {CliError} with the usage, for an unknown option
 */
export function parseArguments(config, usage) {
  try {
    return parseArgs(config);
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new CliError(`${reason}\n${usage}`, { cause: error });
  }
}
