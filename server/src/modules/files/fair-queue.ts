/** What waits, taken from one user after the other: a user with much of it delays others by one. */
export class FairQueue<Item> {
  readonly #itemsByUser = new Map<string, Item[]>();

  add(user: string, item: Item): void {
    const items = this.#itemsByUser.get(user);
    if (items) items.push(item);
    else this.#itemsByUser.set(user, [item]);
  }

  take(): Item | undefined {
    const [next] = this.#itemsByUser;
    if (!next) return undefined;
    const [user, items] = next;
    const item = items.shift();
    this.#itemsByUser.delete(user);
    if (items.length > 0) this.#itemsByUser.set(user, items);
    return item;
  }
}
