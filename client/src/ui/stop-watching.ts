import type { WatchlistItem } from "@shared/contract/watchlist.ts";
import { errorText } from "../lib/api/errors.ts";
import { removeItem, restoreItem } from "../lib/watchlist.ts";
import { showToast } from "./show-toast.ts";

/** Removes an item from the watchlist, with a message that undoes it. */
export function stopWatching(item: WatchlistItem): void {
  const market = `${item.symbol} ${item.timeframe}`;
  const reportFailure = (title: string) => (error: unknown) =>
    showToast({ title, description: errorText(error, "Please try again.") });
  const undo = () =>
    void restoreItem(item).catch(reportFailure(`${market} could not be watched again`));
  removeItem(item).then(
    () =>
      showToast({ title: `No longer watching ${market}`, action: { label: "Undo", run: undo } }),
    reportFailure(`${market} could not be removed`),
  );
}
