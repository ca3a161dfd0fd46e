import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

interface SupervisedServiceOptions {
  name: string;
  launch: () => ChildProcess;
  say: (line: string) => void;
  graceMs?: number;
  /** Time to wait before the next start, by the number of failures in a row. */
  delayMs?: (failures: number) => number;
}

/** A child process that is started again whenever it exits, until it is stopped. */
export class SupervisedService {
  readonly #options: Required<SupervisedServiceOptions>;
  #child: ChildProcess | undefined;
  #restartTimer: NodeJS.Timeout | undefined;
  #startedAt = 0;
  #isStopping = false;

  failures = 0;

  constructor(options: SupervisedServiceOptions) {
    this.#options = { graceMs: 30_000, delayMs: restartDelayMs, ...options };
  }

  get name(): string {
    return this.#options.name;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  start(): void {
    this.#isStopping = false;
    this.#startedAt = Date.now();
    const child = this.#options.launch();
    this.#child = child;
    child.once("error", (error) => this.#onExit(child, error.message));
    child.once("exit", (code, signal) => this.#onExit(child, signal ?? `exit code ${code}`));
  }

  /** Sends SIGTERM, and SIGKILL after the grace period. Resolves when the process has exited. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#restartTimer);
    const child = this.#child;
    if (!child) return;
    const exited = once(child, "exit");
    const killTimer = setTimeout(() => child.kill("SIGKILL"), this.#options.graceMs);
    terminate(child);
    await exited;
    clearTimeout(killTimer);
  }

  async restart(): Promise<void> {
    await this.stop();
    this.failures = 0;
    this.start();
  }

  #onExit(child: ChildProcess, reason: string): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    if (this.#isStopping) return;
    this.failures = countFailure(this.failures, Date.now() - this.#startedAt);
    const delayMs = this.#options.delayMs(this.failures);
    const { name, say } = this.#options;
    say(`The ${name} stopped (${reason}); starting it again in ${delayMs / 1_000} s.`);
    this.#restartTimer = setTimeout(() => this.start(), delayMs);
  }
}

/** Windows has no SIGTERM, so there the end of the channel to the parent asks a process to stop. */
function terminate(child: ChildProcess): void {
  if (process.platform === "win32" && child.connected) child.disconnect();
  else child.kill("SIGTERM");
}

const MIN_RESTART_DELAY_MS = 500;
const MAX_RESTART_DELAY_MS = 10_000;
const STABLE_AFTER_MS = 60_000;

/** Failures in a row including this one. A service that had been up for a minute starts from 1 again. */
export function countFailure(failures: number, upMs: number): number {
  return upMs >= STABLE_AFTER_MS ? 1 : failures + 1;
}

export function restartDelayMs(failures: number): number {
  return Math.min(MIN_RESTART_DELAY_MS * 2 ** (failures - 1), MAX_RESTART_DELAY_MS);
}
