// @ts-check

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import process from "node:process";

/** Errors whose message is one clear line; the others are defects and show their stack. */
const CLI_ERRORS = new Set(["CliError", "SettingsError", "BackupError"]);

/**
 * Runs a command of the project and turns its outcome into the exit code: 0, or 1 with the reason
 * on stderr. Being asked to stop is no failure.
 *
 * @param {() => Promise<void>} main
 */
export async function runMain(main) {
  try {
    await main();
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") return;
    const isPlain = error instanceof Error && CLI_ERRORS.has(error.name);
    console.error(isPlain ? error.message : error);
    process.exitCode = 1;
  }
}

/** A failure that one line explains to whoever typed the command; it is shown without a stack. */
export class CliError extends Error {
  /** @override */
  name = "CliError";
}

/**
 * One Ctrl-C can arrive twice: from the terminal, and passed on by npm. What comes within this time
 * of the first is the same wish.
 */
const SAME_WISH_MS = 1_000;

/**
 * Turns the wish to stop into an abort signal: Ctrl-C, SIGTERM, a closed terminal, or the end of the
 * npm that runs this command.
 *
 * @param {object} options
 * @param {() => void} options.onSecond called when the wish is repeated
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
    if (Date.now() - firstAt > SAME_WISH_MS) onSecond();
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
  const status = readProcessStatus(process.ppid);
  const npm = /^Name:\tsh$/m.test(status) ? /^PPid:\t\d+$/m.exec(status)?.[0] : "";
  return `${process.ppid} ${npm}`;
}

/**
 * @param {number} pid
 * @returns {string} empty on systems other than Linux, whose `sh` replaces itself with the command
 */
function readProcessStatus(pid) {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return "";
  }
}

/**
 * A file as it was typed: npm starts scripts in the project's folder, and remembers where it was called.
 *
 * @param {string} file
 */
export const resolveTyped = (file) => resolve(process.env.INIT_CWD ?? "", file);
