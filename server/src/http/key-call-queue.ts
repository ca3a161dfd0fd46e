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
/** As many as a user may make in a minute, so that the limit of calls decides first. */
const MAX_WAITING_OF_USER = API_KEY_CALLS_PER_MINUTE;

interface WaitingCall {
  userId: string;
  start: () => void;
}

/**
 * The calls of one server with API keys, one at a time, in the order in which they came. They start while no other call
 * runs, so that many programs do not keep people from the app.
 */
export class KeyCallQueue {
  readonly #waiting = new Set<WaitingCall>();
  readonly #waitingOfUsers = new Map<string, number>();
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

  /**
   * Runs a call with a key once it may start.
   * @param userId whose key it is: proven, since each call takes a place
   * @throws AppError rate-limited or unavailable if too many wait
   */
  async run(userId: string, run: () => Promise<unknown>): Promise<void> {
    await this.#turnOf(userId);
    await countedFor(run, () => {
      setTimeout(() => {
        this.#isRunning = false;
        this.#startNext();
      }, REST_MS);
    });
  }

  /** Resolves when the call may start, and counts it as running. */
  #turnOf(userId: string): Promise<void> {
    const ofUser = this.#waitingOfUsers.get(userId) ?? 0;
    if (ofUser >= MAX_WAITING_OF_USER) throw rateLimited(Math.ceil(MAX_WAIT_MS / 1_000));
    if (this.#waiting.size >= MAX_WAITING) throw unavailable();
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        this.#waiting.delete(call);
        const left = (this.#waitingOfUsers.get(userId) ?? 1) - 1;
        if (left > 0) this.#waitingOfUsers.set(userId, left);
        else this.#waitingOfUsers.delete(userId);
      };
      const start = () => {
        leave();
        this.#isRunning = true;
        resolve();
      };
      const call = { userId, start };
      const timer = setTimeout(() => {
        leave();
        reject(unavailable());
      }, MAX_WAIT_MS);
      this.#waiting.add(call);
      this.#waitingOfUsers.set(userId, ofUser + 1);
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

/** Counts the calls without a key. `admitKeys` queues the others once their keys are proven. */
export const countCallsWithoutKey =
  (queue: KeyCallQueue): AppMiddleware =>
  (ctx, next) =>
    apiKeyOf(ctx.get("Authorization")) === undefined ? queue.runOther(next) : next();
