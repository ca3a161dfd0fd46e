// @ts-check
/** @typedef {import("node:child_process").ChildProcess} ChildProcess */

/**
 * A child process that is started again whenever it ends, until it is told to stop.
 */
export class SupervisedService {
  /** @type {ChildProcess | undefined} */
  #child;
  /** @type {NodeJS.Timeout | undefined} */
  #restartTimer;
  #startedAt = 0;
  #isStopping = false;
  #options;

  /** How often in a row it ended by itself. */
  failures = 0;

  /**
   * @param {object} options
   * @param {string} options.name for the lines about it
   * @param {() => ChildProcess} options.launch
   * @param {(line: string) => void} options.say
   * @param {number} [options.graceMs] how long it may take to stop before it is killed
   * @param {(failures: number) => number} [options.delayMs] how long to wait before a new start
   */
  constructor(options) {
    this.#options = { graceMs: 30_000, delayMs: restartDelayMs, ...options };
  }

  get name() {
    return this.#options.name;
  }

  get pid() {
    return this.#child?.pid;
  }

  start() {
    this.#isStopping = false;
    this.#startedAt = Date.now();
    const child = this.#options.launch();
    this.#child = child;
    child.once("error", (error) => this.#onEnd(child, error.message));
    child.once("exit", (code, signal) => this.#onEnd(child, signal ?? `exit code ${code}`));
  }

  /** SIGTERM, and SIGKILL when the grace period is over. Resolves when the process is gone. */
  async stop() {
    this.#isStopping = true;
    clearTimeout(this.#restartTimer);
    const child = this.#child;
    if (!child) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    const impatience = setTimeout(() => this.#killHard(), this.#options.graceMs);
    askToStop(child);
    await ended;
    clearTimeout(impatience);
  }

  /** Ends the process at once. */
  kill() {
    this.#isStopping = true;
    clearTimeout(this.#restartTimer);
    this.#killHard();
  }

  /** Stops the process and starts it anew without counting a failure. */
  async restart() {
    await this.stop();
    this.failures = 0;
    this.start();
  }

  /**
   * @param {ChildProcess} child
   * @param {string} how
   */
  #onEnd(child, how) {
    if (this.#child !== child) return;
    this.#child = undefined;
    if (this.#isStopping) return;
    this.failures = countFailure({
      failures: this.failures,
      upMs: Date.now() - this.#startedAt,
    });
    const delayMs = this.#options.delayMs(this.failures);
    this.#options.say(
      `The ${this.name} stopped (${how}); starting it again in ${delayMs / 1000} s.`,
    );
    this.#restartTimer = setTimeout(() => this.start(), delayMs);
  }

  #killHard() {
    const child = this.#child;
    if (child?.pid === undefined) return;
    child.kill("SIGKILL");
  }
}

/**
 * Windows has no SIGTERM and ends the process at once. A process with a channel to its parent takes the end of the channel
 * for a SIGTERM.
 *
 * @param {ChildProcess} child
 */
function askToStop(child) {
  if (process.platform === "win32" && child.connected) child.disconnect();
  else child.kill("SIGTERM");
}

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 10_000;
const STEADY_AFTER_MS = 60_000;

/**
 * How many times in a row a part has failed now, if it ended after running this long: one that had
 * been up for a minute starts counting anew.
 *
 * @param {{ failures: number, upMs: number }} before
 */
export function countFailure({ failures, upMs }) {
  return upMs >= STEADY_AFTER_MS ? 1 : failures + 1;
}

/**
 * Exponential back-off: 0.5 s, 1 s, 2 s ... at most 10 s.
 *
 * @param {number} failures in a row, 1 or more
 * @returns {number} milliseconds to wait before the next start
 */
export function restartDelayMs(failures) {
  return Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), LONGEST_DELAY_MS);
}
