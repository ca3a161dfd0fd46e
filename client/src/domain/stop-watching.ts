import type { WatchlistItem } from "@shared/contract/watchlist.ts";
import { failureToast, showToast } from "../ui/show-toast.ts";
import { removeItem, restoreItem } from "./watchlist.ts";

/** Removes an item from the watchlist, with a message that undoes it. */
export function stopWatching(item: WatchlistItem): void {
  const market = `${item.symbol} ${item.timeframe}`;
  const undo = () =>
    void restoreItem(item).catch(failureToast(`${market} could not be watched again`));
  removeItem(item).then(
    () =>
      showToast({ title: `No longer watching ${market}`, action: { label: "Undo", run: undo } }),
    failureToast(`${market} could not be removed`),
  );
}
