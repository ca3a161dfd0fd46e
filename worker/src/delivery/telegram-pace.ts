import { withKeys } from "@shared/runtime/keyed-mutex.ts";
import { Mutex } from "async-mutex";

/** Telegram permits 30 messages a second. The window is a little longer, since messages take different times to arrive. */
const MAX_IN_WINDOW = 30;
const WINDOW_MS = 1_010;

/** So that they are spread over the second. */
const MIN_INTERVAL_MS = 25;

export const CHAT_INTERVAL_MS = 1_000;

/** Keeps the limits of Telegram, for the one worker that sends: 30 messages a second, and one a second to each chat. */
export class TelegramPace {
  readonly #everyone = new Mutex();
  /** Times of the last messages, oldest first. */
  #turns: number[] = [];
  /** Ends of the last messages by chat, oldest first. */
  readonly #sentAt = new Map<string, number>();

  /**
   * Runs `send` when it is the chat's turn, after those that came before.
   * @throws the reason of `abort` if it fires before
   */
  run<Result>(chatId: string, abort: AbortSignal, send: () => Promise<Result>): Promise<Result> {
    return withKeys(this, [chatId], async () => {
      await waitUntil(
        (this.#sentAt.get(chatId) ?? Number.NEGATIVE_INFINITY) + CHAT_INTERVAL_MS,
        abort,
      );
      await this.#everyone.runExclusive(() => this.#takeTurn(abort));
      return send().finally(() => this.#noteSent(chatId));
    });
  }

  async #takeTurn(abort: AbortSignal): Promise<void> {
    const last = this.#turns.at(-1) ?? Number.NEGATIVE_INFINITY;
    const first = this.#turns.at(-MAX_IN_WINDOW) ?? Number.NEGATIVE_INFINITY;
    await waitUntil(Math.max(last + MIN_INTERVAL_MS, first + WINDOW_MS), abort);
    this.#turns = [...this.#turns.slice(1 - MAX_IN_WINDOW), performance.now()];
  }

  #noteSent(chatId: string): void {
    const now = performance.now();
    this.#sentAt.delete(chatId);
    this.#sentAt.set(chatId, now);
    for (const [chat, sentAt] of this.#sentAt) {
      if (sentAt > now - CHAT_INTERVAL_MS) break;
      this.#sentAt.delete(chat);
    }
  }
}

async function waitUntil(time: number, abort: AbortSignal): Promise<void> {
  abort.throwIfAborted();
  for (let waitMs = time - performance.now(); waitMs > 0; waitMs = time - performance.now()) {
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => {
        clearTimeout(timer);
        reject(abort.reason);
      };
      const timer = setTimeout(() => {
        abort.removeEventListener("abort", onAbort);
        resolve();
      }, Math.ceil(waitMs));
      abort.addEventListener("abort", onAbort, { once: true });
    });
  }
}
