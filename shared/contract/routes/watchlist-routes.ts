import {
  newWatchlistItemSchema,
  watchlistItemChangeSchema,
  watchlistItemSchema,
  watchlistSchema,
} from "@shared/contract/watchlist.ts";
import { z } from "zod";
import { defineRoute, type RateLimit } from "./define-route.ts";

const changeLimit: RateLimit = { name: "watchlist", points: 120, per: "minute", by: ["user"] };

const watchlist = { tag: "Watchlist", access: "approved" } as const;

const params = z.object({ id: z.string().meta({ description: "The `id` of the item." }) });

export const watchlistRoutes = {
  getWatchlist: defineRoute("GET /watchlist", {
    ...watchlist,
    summary: "Your watchlist, oldest item first",
    responses: { 200: { description: "All items.", schema: watchlistSchema } },
  }),
  addWatchlistItem: defineRoute("POST /watchlist", {
    ...watchlist,
    summary: "Watch a market",
    description: "At each close of its candles, you get a signal if the analysis is a trade.",
    limits: [changeLimit],
    request: { body: newWatchlistItemSchema },
    responses: { 201: { description: "The item.", schema: watchlistItemSchema } },
    errors: ["already-watched", "watchlist-full"],
  }),
  changeWatchlistItem: defineRoute("PATCH /watchlist/:id", {
    ...watchlist,
    summary: "Change an item of your watchlist",
    limits: [changeLimit],
    request: { params, body: watchlistItemChangeSchema },
    responses: { 200: { description: "The item.", schema: watchlistItemSchema } },
    errors: ["not-found"],
  }),
  deleteWatchlistItem: defineRoute("DELETE /watchlist/:id", {
    ...watchlist,
    summary: "Delete an item of your watchlist",
    request: { params },
    responses: { 204: { description: "The market is no longer watched." } },
    errors: ["not-found"],
  }),
};
