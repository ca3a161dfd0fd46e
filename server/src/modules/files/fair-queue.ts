interface Waiting<Item> {
  item: Item;
  expectedMs: number;
}

/**
 * What waits. The next one is of the user who has had the least time, its own included: those who need much delay others
 * by one item.
 */
export class FairQueue<Item> {
  readonly #waitingByUser = new Map<string, Waiting<Item>[]>();
  /** Since nothing waited. */
  readonly #usedMsByUser = new Map<string, number>();

  add(user: string, item: Item, expectedMs: number): void {
    const waiting = this.#waitingByUser.get(user) ?? [];
    waiting.push({ item, expectedMs });
    this.#waitingByUser.set(user, waiting);
  }

  take(): { user: string; item: Item } | undefined {
    let first: { user: string; waiting: Waiting<Item>[]; totalMs: number } | undefined;
    for (const [user, waiting] of this.#waitingByUser) {
      const totalMs = (this.#usedMsByUser.get(user) ?? 0) + (waiting[0]?.expectedMs ?? 0);
      if (!first || totalMs < first.totalMs) first = { user, waiting, totalMs };
    }
    const next = first?.waiting.shift();
    if (!first || !next) {
      this.#usedMsByUser.clear();
      return undefined;
    }
    const { user, waiting } = first;
    this.#waitingByUser.delete(user);
    if (waiting.length > 0) this.#waitingByUser.set(user, waiting);
    return { user, item: next.item };
  }

  /** Time that an item of a user has taken. */
  charge(user: string, usedMs: number): void {
    this.#usedMsByUser.set(user, (this.#usedMsByUser.get(user) ?? 0) + usedMs);
  }
}
