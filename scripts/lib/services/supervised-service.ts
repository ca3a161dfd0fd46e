import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { z } from "zod";
import { projectRoot } from "../prepare-project.mjs";

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

/**
 * Requests leave much garbage that is short-lived. With a larger young generation (64 MB instead of 16), a server answers
 * about a tenth more of them.
 */
export const SERVER_NODE_OPTIONS = "--max-semi-space-size=64";

const NODE_ARGUMENTS = {
  server: [SERVER_NODE_OPTIONS, "--import", "tsx", "server/src/main.ts"],
  worker: ["--import", "tsx", "worker/src/main.ts"],
  client: ["scripts/run.mjs", "client"],
};

/**
 * A service of the product, not started yet. It has a session of its own, so that a Ctrl-C in the terminal reaches it only
 * through the launcher, and it stops when the launcher has exited.
 */
export function createService(
  name: keyof typeof NODE_ARGUMENTS,
  env: NodeJS.ProcessEnv,
  { say, isDev }: { say: (line: string) => void; isDev: boolean },
): SupervisedService {
  const output = process.stdout.isTTY ? "pipe" : "inherit";
  const preload = ["--import", "./scripts/lib/services/exit-with-parent.mjs"];
  const flags = name === "client" && isDev ? ["--dev"] : [];
  const args = [...preload, ...NODE_ARGUMENTS[name], ...flags];
  const launch = () => {
    const child = spawn(process.execPath, args, {
      cwd: projectRoot,
      env,
      detached: true,
      windowsHide: true,
      stdio: ["ignore", output, output, "ipc"],
    });
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue;
      createInterface({ input: stream }).on("line", (line) =>
        console.log(`[${name}] ${readableLine(line)}`),
      );
    }
    return child;
  };
  return new SupervisedService({ name, launch, say });
}

const LEVELS = new Map([
  [40, "warning: "],
  [50, "error: "],
  [60, "fatal: "],
]);

const logEntrySchema = z.looseObject({ level: z.number(), msg: z.string().default("") });
const errorSchema = z.looseObject({ stack: z.string(), message: z.string() });

/** Fields of a log entry that add nothing on a terminal. */
const HIDDEN_FIELDS = new Set(["level", "time", "pid", "hostname", "service", "msg"]);

export function readableLine(line: string): string {
  const entry = logEntrySchema.safeParse(parseJson(line));
  if (!entry.success) return line;
  const { level, msg } = entry.data;
  const fields = Object.entries(entry.data)
    .filter(([name]) => !HIDDEN_FIELDS.has(name))
    .map(([name, value]) => `${name}=${formatValue(value)}`);
  return [`${LEVELS.get(level) ?? ""}${msg}`, ...fields].join(" ").trim();
}

function formatValue(value: unknown): string {
  if (typeof value === "string") return value;
  const error = errorSchema.safeParse(value);
  return error.success ? error.data.message : JSON.stringify(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return;
  }
}
