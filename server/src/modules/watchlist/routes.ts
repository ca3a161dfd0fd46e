import { watchlistRoutes } from "@shared/contract/routes/signal-routes.ts";
import { type BoundRoute, handle } from "../../http/router.ts";
import { addItem, changeItem, deleteItem, listWatchlist, presentItem } from "./watchlist.ts";

export const watchlistHandlers: BoundRoute[] = [
  handle(watchlistRoutes.getWatchlist, (_, { deps, session }) => listWatchlist(deps, session.user)),
  handle(watchlistRoutes.addWatchlistItem, async ({ body }, { deps, session }) =>
    presentItem(deps, await addItem(deps, session.user, body)),
  ),
  handle(watchlistRoutes.changeWatchlistItem, async ({ params, body }, { deps, session }) =>
    presentItem(deps, await changeItem(deps, { user: session.user, ...params }, body)),
  ),
  handle(watchlistRoutes.deleteWatchlistItem, ({ params }, { deps, session }) =>
    deleteItem(deps, { user: session.user, ...params }),
  ),
];
