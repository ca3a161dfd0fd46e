import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const PROGRAM = fileURLToPath(new URL("decode-images.mjs", import.meta.url));

/** V8 needs little: pictures are outside of its heap, and without a compiler it takes 10 MB less. */
const NODE_OPTIONS = [
  "--jitless",
  "--expose-gc",
  "--max-old-space-size=48",
  "--max-semi-space-size=1",
  "--v8-pool-size=0",
];

/** The stacks of threads count as data, with their full size. */
const LIMITED = 'ulimit -s 2048 && ulimit -d "$0" && exec "$@"';

const IDLE_MS = 60_000;

export interface DecoderLimits {
  /** It leaves larger images to another process. */
  maxPixels: number;
  /** Of the processor, for one image. On a busy machine, an image takes longer, but no more of this. */
  cpuMs: number;
  timeoutMs: number;
  /** Of data, as `ulimit -d` counts it: about 26 MB before anything is decoded. Resident are up to 24 MB more, of programs. */
  memoryKib: number;
  /** After this many images, a new process takes over, with the memory that it had at first. */
  images: number;
  /** How far other processes go first, 0 to 19. */
  niceness: number;
}

/**
 * `image`: encode it again. `raster`: its pixels, for a comparison. `image-and-raster`: both, the pixels of what is encoded.
 */
export type DecoderTask = "image" | "raster" | "image-and-raster";

export interface DecoderRequest extends Pick<DecoderLimits, "maxPixels" | "memoryKib"> {
  file: Uint8Array;
  task: DecoderTask;
}

const replySchema = z.union([
  z.object({
    refusal: z.enum([
      "not-an-image",
      "side-too-long",
      "too-many-pixels",
      "too-large-for-passes",
      "too-costly",
      "not-here",
    ]),
  }),
  z.object({ result: z.unknown() }),
]);
export type DecoderReply = z.infer<typeof replySchema>;

/** `too-costly`: the image needs more memory or time. `killed`: something else ended it. */
export type DecoderOutcome = DecoderReply | { refusal: "killed" };

/**
 * A process that decodes one image at a time. It starts when it is needed, is replaced after it was ended, and ends when it has
 * had nothing to do for a while.
 */
export class DecoderProcess {
  readonly #limits: DecoderLimits;
  #child: ReadyChild | undefined;
  #decoded = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(limits: DecoderLimits) {
    this.#limits = limits;
  }

  async decode(file: Uint8Array, task: DecoderTask): Promise<DecoderOutcome> {
    clearTimeout(this.#idle);
    const child = await this.#running();
    if (!child) return { refusal: "killed" };
    const { maxPixels, memoryKib, images } = this.#limits;
    const reply = nextReply(child, this.#limits);
    const request: DecoderRequest = { file, task, maxPixels, memoryKib };
    child.send(request, () => undefined);
    const outcome = await reply;
    this.#decoded += 1;
    if (this.#decoded >= images || !isRunning(child)) this.#replace();
    this.#idle = setTimeout(() => this.stop(), IDLE_MS).unref();
    return outcome;
  }

  stop(): void {
    clearTimeout(this.#idle);
    this.#child?.process.kill("SIGKILL");
    this.#child = undefined;
  }

  /** The next image does not wait for the start. */
  #replace(): void {
    if (!this.#child) return;
    this.stop();
    this.#child = start(this.#limits);
    this.#decoded = 0;
  }

  async #running(): Promise<ChildProcess | undefined> {
    if (!this.#child || !isRunning(this.#child.process)) {
      this.#child = start(this.#limits);
      this.#decoded = 0;
    }
    const { process, isReady } = this.#child;
    await isReady;
    return isRunning(process) ? process : undefined;
  }
}

interface ReadyChild {
  process: ChildProcess;
  /** Settles also if it ends before. */
  isReady: Promise<unknown>;
}

const isRunning = (child: ChildProcess): boolean =>
  child.connected && child.exitCode === null && child.signalCode === null;

/** The kernel of Linux ends the process or refuses it memory beyond the limit; libvips may catch the latter. */
function start({ memoryKib, niceness }: DecoderLimits): ReadyChild {
  const command = [process.execPath, ...NODE_OPTIONS, PROGRAM, String(niceness)];
  const limited = ["/bin/sh", "-c", LIMITED, String(memoryKib), ...command];
  const [program = "", ...args] = process.platform === "linux" ? limited : command;
  const child = spawn(program, args, {
    env: { UV_THREADPOOL_SIZE: "1", MALLOC_ARENA_MAX: "1" },
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    serialization: "advanced",
  });
  child.on("error", () => undefined);
  child.unref();
  child.channel?.unref();
  const ended = new AbortController();
  child.once("close", () => ended.abort());
  return {
    process: child,
    isReady: once(child, "message", { signal: ended.signal }).catch(() => undefined),
  };
}

function nextReply(
  child: ChildProcess,
  limits: Pick<DecoderLimits, "cpuMs" | "timeoutMs">,
): Promise<DecoderOutcome> {
  return new Promise((resolve) => {
    let isTooSlow = false;
    const stopTimer = whenUsedUp(child, limits, () => {
      isTooSlow = true;
      child.kill("SIGKILL");
    });
    const settle = (outcome: DecoderOutcome) => {
      stopTimer();
      child.off("message", onMessage);
      child.off("exit", onExit);
      resolve(outcome);
    };
    const onMessage = (message: unknown) =>
      settle(replySchema.safeParse(message).data ?? { refusal: "killed" });
    const onExit = (_code: number | null, signal: NodeJS.Signals | null) => {
      const isOutside = signal === "SIGKILL" && !isTooSlow;
      settle({ refusal: isOutside ? "killed" : "too-costly" });
    };
    child.once("message", onMessage);
    child.once("exit", onExit);
  });
}

/** Calls back once the process has used its time. */
function whenUsedUp(
  { pid }: ChildProcess,
  { cpuMs, timeoutMs }: Pick<DecoderLimits, "cpuMs" | "timeoutMs">,
  callback: () => void,
): () => void {
  const startedMs = performance.now();
  const startedCpuMs = cpuMsOf(pid);
  let timer: NodeJS.Timeout;
  const check = () => {
    const leftMs = Math.min(
      startedCpuMs + cpuMs - cpuMsOf(pid),
      startedMs + timeoutMs - performance.now(),
    );
    if (leftMs <= 0) callback();
    // Timers may be a little early.
    else timer = setTimeout(check, Math.ceil(leftMs));
  };
  check();
  return () => clearTimeout(timer);
}

/** As Linux counts it; elsewhere, time counts whether the process runs or not. */
function cpuMsOf(pid: number | undefined): number {
  if (process.platform !== "linux") return performance.now();
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name before may contain blanks. User and system time are in hundredths of a second.
    const fields = stat.slice(stat.lastIndexOf(")")).split(" ");
    return (Number(fields[12]) + Number(fields[13])) * 10;
  } catch {
    // It has just ended.
    return 0;
  }
}
