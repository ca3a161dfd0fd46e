/** The server commits changes that come together in one transaction. A browser opens six connections to it. */
const MAX_AT_ONCE = 6;

/** Calls `act`, which must not throw, for all items, and starts the next one when one of a few has ended. */
export async function severalAtOnce<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const work = async () => {
    for (const item of left) await act(item);
  };
  await Promise.all(Array.from({ length: MAX_AT_ONCE }, work));
}
