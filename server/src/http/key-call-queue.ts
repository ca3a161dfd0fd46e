import { API_KEY_CALLS_PER_MINUTE } from "@shared/contract/api-keys.ts";
import { apiKeyOf } from "./api-keys.ts";
import type { AppMiddleware } from "./context.ts";
import { rateLimited, unavailable } from "./errors.ts";

/** A call that takes longer waits for something else, such as an analysis, and no longer keeps others waiting. */
const COUNTED_MS = 50;
/** Between two calls with keys, for others that arrive meanwhile. */
const REST_MS = 3;
/** While other calls run, one with a key starts so often. */
const START_INTERVAL_MS = 20;
/** Calls wait rather than being refused at once: a program that waits sends no more of them. */
const MAX_WAIT_MS = 10_000;
const MAX_WAITING = 5_000;
/** As many as its user may make in a minute, so that the limit of calls decides first. */
const MAX_WAITING_OF_KEY = API_KEY_CALLS_PER_MINUTE;

interface WaitingCall {
  key: string;
  start: () => void;
}

/**
 * The calls of one server with API keys, one at a time, in the order in which they came. They start while no other call
 * runs, so that many programs do not keep people from the app.
 */
export class KeyCallQueue {
  readonly #waiting = new Set<WaitingCall>();
  readonly #waitingOfKeys = new Map<string, number>();
  #isRunning = false;
  #othersRunning = 0;
  #lastStartMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  /** Runs a call without a key. */
  async runOther(run: () => Promise<unknown>): Promise<void> {
    this.#othersRunning += 1;
    await countedFor(run, () => {
      this.#othersRunning -= 1;
      // After what has arrived meanwhile is read: it may be another one without a key.
      if (this.#waiting.size > 0) setImmediate(() => this.#startNext());
    });
  }

  /** Runs a call with a key once it may start. @throws AppError rate-limited or unavailable if too many wait */
  async run(key: string, run: () => Promise<unknown>): Promise<void> {
    await this.#turnOf(key);
    await countedFor(run, () => {
      setTimeout(() => {
        this.#isRunning = false;
        this.#startNext();
      }, REST_MS);
    });
  }

  /** Resolves when the call may start, and counts it as running. */
  #turnOf(key: string): Promise<void> {
    const ofKey = this.#waitingOfKeys.get(key) ?? 0;
    if (ofKey >= MAX_WAITING_OF_KEY) throw rateLimited(Math.ceil(MAX_WAIT_MS / 1_000));
    if (this.#waiting.size >= MAX_WAITING) throw unavailable();
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        this.#waiting.delete(call);
        const left = (this.#waitingOfKeys.get(key) ?? 1) - 1;
        if (left > 0) this.#waitingOfKeys.set(key, left);
        else this.#waitingOfKeys.delete(key);
      };
      const start = () => {
        leave();
        this.#isRunning = true;
        resolve();
      };
      const call = { key, start };
      const timer = setTimeout(() => {
        leave();
        reject(unavailable());
      }, MAX_WAIT_MS);
      this.#waiting.add(call);
      this.#waitingOfKeys.set(key, ofKey + 1);
      this.#startNext();
    });
  }

  #startNext(): void {
    const [next] = this.#waiting;
    if (!next || this.#isRunning) return;
    const at = performance.now();
    const waitMs = this.#lastStartMs + START_INTERVAL_MS - at;
    if (this.#othersRunning > 0 && waitMs > 0) {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.#startNext();
      }, waitMs);
      return;
    }
    this.#lastStartMs = at;
    next.start();
  }
}

/** Runs `run`, and calls `uncount` when it ends, or once it has taken too long to count. */
async function countedFor(run: () => Promise<unknown>, uncount: () => void): Promise<void> {
  let isCounted = true;
  const end = () => {
    clearTimeout(timer);
    if (isCounted) uncount();
    isCounted = false;
  };
  const timer = setTimeout(end, COUNTED_MS);
  try {
    await run();
  } finally {
    end();
  }
}

export function queueKeyCalls(queue = new KeyCallQueue()): AppMiddleware {
  return (ctx, next) => {
    const key = apiKeyOf(ctx.get("Authorization"));
    return key === undefined ? queue.runOther(next) : queue.run(key, next);
  };
}
