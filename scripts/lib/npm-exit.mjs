// @ts-check
import { readFileSync } from "node:fs";
import process from "node:process";

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
