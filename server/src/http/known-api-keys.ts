import { API_KEY_CALLS_PER_MINUTE } from "@shared/contract/api-keys.ts";
import { MINUTE_MS } from "@shared/contract/constants.ts";
import { LRUCache } from "lru-cache";
import { RateLimiterMemory } from "rate-limiter-flexible";
import type { ServerDeps } from "../server-deps.ts";
import { hashOfKey, userIdOfKey } from "./api-keys.ts";
import { unauthenticated } from "./errors.ts";
import { clientNetwork, takePoint } from "./rate-limits.ts";
import { findKey } from "./sessions.ts";

type KeyDeps = Pick<ServerDeps, "database" | "settings" | "now">;

/** What was found of a key is known for this time. Each call still authenticates it at its turn. */
const KNOWN_MS = MINUTE_MS;
const MAX_KNOWN = 10_000;
/** Of an address, on one server. Keys that are found count only while they are looked for. */
const WRONG_KEYS = { points: API_KEY_CALLS_PER_MINUTE, duration: MINUTE_MS / 1_000 };

/**
 * Proves API keys before their calls wait, so that invented ones take no place. The wrong ones are counted in memory: a write to the
 * database for each would cost more than looking for it.
 */
export class KnownApiKeys {
  readonly #deps: KeyDeps;
  /** Whether a key was found, by its hash. */
  readonly #known = new LRUCache<string, boolean>({ max: MAX_KNOWN, ttl: KNOWN_MS });
  readonly #wrong = new RateLimiterMemory(WRONG_KEYS);

  constructor(deps: KeyDeps) {
    this.#deps = deps;
  }

  /**
   * @returns the id of the user whose key it is
   * @throws AppError unauthenticated if it is none; rate-limited if the address has sent too many that are none
   */
  async prove(key: string, address: string): Promise<string> {
    const userId = userIdOfKey(key);
    if (userId === undefined) throw unauthenticated();
    const hash = hashOfKey(key);
    let isFound = this.#known.get(hash);
    if (isFound === undefined) {
      isFound = await this.#look(key, clientNetwork(address));
      this.#known.set(hash, isFound);
    }
    if (!isFound) throw unauthenticated();
    return userId;
  }

  async #look(key: string, network: string): Promise<boolean> {
    if (this.#deps.settings.RATE_LIMIT === "off") return (await findKey(this.#deps, key)) !== null;
    // Before it is looked for, so that concurrent calls cannot exceed the limit.
    await takePoint(this.#wrong, network);
    const found = await findKey(this.#deps, key).finally(() => this.#wrong.reward(network));
    if (!found) await this.#wrong.penalty(network);
    return found !== null;
  }
}
