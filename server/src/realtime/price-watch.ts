import { type WatchedPrices, watchPricesSchema } from "@shared/contract/market-data.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { hasAccess, mustEnrol } from "@shared/domain/access.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { assertApproved, assertEnrolled } from "../http/access.ts";
import { isDatabaseUnavailable } from "../http/database-errors.ts";
import { unavailable } from "../http/errors.ts";
import { assertKnownSymbol } from "../modules/markets/known-symbols.ts";
import type { ServerDeps } from "../server-deps.ts";
import type { LivePrices, PriceViewer } from "./live-prices.ts";

const INVALID = "The symbols are not valid.";
const MAX_REQUESTS = 20;
const REQUEST_WINDOW_MS = 10_000;

interface PriceWatchOptions {
  deps: Pick<ServerDeps, "database" | "settings" | "logger" | "now">;
  prices: Pick<LivePrices, "watch">;
  socket: Pick<PriceViewer, "id" | "isBehind">;
  /** Reads the user of the session. @throws AppError unauthenticated if it has ended */
  readUser: () => Promise<UserRecord>;
}

/** The prices that one socket watches, while its user has access. */
export class PriceWatch implements PriceViewer {
  readonly id: string;
  readonly #options: PriceWatchOptions;
  #user: UserRecord | undefined;
  /** One after the other, so that an access that ends meanwhile counts. */
  #work: Promise<unknown> = Promise.resolve();
  #requestTimes: number[] = [];
  #isClosed = false;

  constructor(options: PriceWatchOptions) {
    this.id = options.socket.id;
    this.#options = options;
  }

  isBehind(): boolean {
    return this.#options.socket.isBehind();
  }

  hasAccess(): boolean {
    const { settings, now } = this.#options.deps;
    const user = this.#user;
    return user !== undefined && !mustEnrol(settings, user) && hasAccess(user, now());
  }

  /** Replaces the watched symbols; on an error, they stay as they are. Prices follow the answer. */
  async watch(payload: unknown, answer: (watched: WatchedPrices) => void): Promise<void> {
    try {
      this.#countRequest();
      await this.#inTurn(async () => {
        const symbols = await this.#readSymbols(payload);
        answer({ symbols });
        if (!this.#isClosed) this.#options.prices.watch(this, symbols);
      });
    } catch (error) {
      answer({ error: this.#describe(error) });
    }
  }

  /** The account has changed. */
  recheck(): void {
    if (!this.#user) return;
    this.#inTurn(async () => {
      this.#user = await this.#options.readUser();
      if (!this.hasAccess()) this.#options.prices.watch(this, []);
    }).catch((error: unknown) => {
      this.#options.prices.watch(this, []);
      this.#describe(error);
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#options.prices.watch(this, []);
  }

  async #readSymbols(payload: unknown): Promise<string[]> {
    const { deps, readUser } = this.#options;
    const user = await readUser();
    assertEnrolled(deps.settings, user);
    assertApproved(user);
    const parsed = watchPricesSchema.safeParse(payload, { error: () => INVALID });
    if (!parsed.success) {
      throw new AppError("invalid-input", parsed.error.issues[0]?.message ?? INVALID);
    }
    const { symbols } = parsed.data;
    for (const symbol of symbols) await assertKnownSymbol(deps, symbol);
    this.#user = user;
    return symbols;
  }

  #countRequest(): void {
    const now = performance.now();
    this.#requestTimes = this.#requestTimes.filter((at) => now - at < REQUEST_WINDOW_MS);
    if (this.#requestTimes.length >= MAX_REQUESTS) {
      throw new AppError("rate-limited", "Too many requests. Please wait a few seconds.");
    }
    this.#requestTimes.push(now);
  }

  #inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
    const result = this.#work.then(run, run);
    this.#work = result.catch(() => undefined);
    return result;
  }

  #describe(error: unknown): { code: string; detail: string } {
    if (error instanceof AppError) return { code: error.code, detail: error.detail };
    const { logger } = this.#options.deps;
    if (isDatabaseUnavailable(error)) logger.warn({ err: error }, "prices not watched");
    else logger.error({ err: error }, "prices not watched");
    const { code, detail } = unavailable(error);
    return { code, detail };
  }
}
