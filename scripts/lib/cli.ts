import type { EventEmitter } from "node:events";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type ParseArgsConfig, parseArgs } from "node:util";

/** The input of a command that `scripts/run.mjs` runs. */
export interface Command {
  args: readonly string[];
  say: (line: string) => void;
  signal: AbortSignal;
}

export const EXIT_STOPPED = 130;

/** A failure that its message explains; it is shown without a stack. */
export class CliError extends Error {
  override readonly name = "CliError";
}

const EXPECTED_ERRORS = new Set(["CliError", "SettingsError"]);

/** Runs a command. If it fails, the reason goes to stderr and the exit code is 1; stopping it is not a failure. */
export async function reportErrors(command: () => Promise<void>): Promise<void> {
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

/** Aborts on Ctrl-C, SIGTERM, a closed terminal, or when the npm that runs this command exits. */
export function listenForStop(onSecond: () => void, events: EventEmitter = process): AbortSignal {
  const controller = new AbortController();
  let firstAt = 0;
  const stop = () => {
    if (!controller.signal.aborted) {
      firstAt = Date.now();
      controller.abort();
    } else if (Date.now() - firstAt > SAME_STOP_MS) onSecond();
  };
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) events.on(name, stop);
  whenNpmExits(() => controller.abort());
  return controller.signal;
}

const CHECK_INTERVAL_MS = 250;

/**
 * Calls `onExit` when the npm that runs this command has exited. npm runs a command through `sh -c` and sends signals to that
 * shell only; some shells, such as Debian's, exit on SIGTERM without passing it on.
 */
export function whenNpmExits(onExit: () => void): void {
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
function npmProcessIds(): string {
  try {
    const status = readFileSync(`/proc/${process.ppid}/status`, "utf8");
    const npm = /^Name:\tsh$/m.test(status) ? /^PPid:\t\d+$/m.exec(status)?.[0] : "";
    return `${process.ppid} ${npm}`;
  } catch {
    // Only Linux has this file; on other systems, `sh` replaces itself with the command.
    return `${process.ppid}`;
  }
}

/** The path of a file that the user typed, relative to the folder in which they called npm. */
export const resolveTyped = (file: string): string => resolve(process.env.INIT_CWD ?? "", file);

/** As `parseArgs` of Node.js, with a CliError that shows the usage. */
export function parseArguments<const Config extends ParseArgsConfig>(
  config: Config,
  usage: string,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new CliError(`${reason}\n${usage}`, { cause: error });
  }
}
