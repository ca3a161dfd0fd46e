import { HISTORY_PAGE } from "@shared/contract/constants.ts";
import { evidenceSchema } from "@shared/contract/evidence.ts";
import { followedQuerySchema, followedSchema } from "@shared/contract/followed.ts";
import { signalCandlesSchema } from "@shared/contract/market-data.ts";
import { pageQuerySchema } from "@shared/contract/pagination.ts";
import {
  sharedViewSchema,
  shareLinkSchema,
  signalProgressSchema,
} from "@shared/contract/resolution.ts";
import {
  historyFilterSchema,
  historyPageSchema,
  historyTotalsSchema,
  signalAcceptedSchema,
  signalNoteSchema,
  signalRequestSchema,
  signalResponseSchema,
} from "@shared/contract/signal.ts";
import {
  newWatchlistItemSchema,
  watchlistItemChangeSchema,
  watchlistItemSchema,
  watchlistSchema,
} from "@shared/contract/watchlist.ts";
import { z } from "zod";
import {
  defineRoute,
  done,
  idempotencyHeaders,
  type RateLimit,
  uploadedFile,
} from "./define-route.ts";

const historyQuerySchema = pageQuerySchema(HISTORY_PAGE).extend(historyFilterSchema.shape);
export type HistoryQuery = z.infer<typeof historyQuerySchema>;
export type HistoryFilter = z.infer<typeof historyFilterSchema>;

/** Headers of a request for a signal. */
export const signalHeadersSchema = idempotencyHeaders.extend({
  prefer: z.string().default(""),
});

/** One per second on average. More than a person requests, and a script cannot occupy all workers. */
const requestLimit: RateLimit = { name: "signal", points: 60, per: "minute", by: ["user"] };

const requestResponses = {
  200: {
    description: "The finished signal. If data or AI failed, a WAIT with `status` failed.",
    schema: signalResponseSchema,
    headers: { Location: "URL of the signal." },
  },
  202: {
    description: "With `Prefer: respond-async`: accepted. The result is pushed.",
    schema: signalAcceptedSchema,
    headers: { Location: "URL of the signal.", "Preference-Applied": "`respond-async`." },
  },
};

/** A link of a shared signal. */
const sharedSignal = {
  tag: "Signals",
  access: "public",
  request: {
    params: z.object({ token: z.string().meta({ description: "Token of the signal's link." }) }),
  },
  errors: ["not-found"],
} as const;

const signals = { tag: "Signals", access: "approved" } as const;

const oneSignal = {
  ...signals,
  request: {
    params: z.object({ id: z.string().meta({ description: "The `signal_id`." }) }),
  },
  errors: ["not-found"],
} as const;

export const signalRoutes = {
  requestSignal: defineRoute("POST /get-signal", {
    ...signals,
    scopes: ["signals"],
    summary: "Request a signal",
    description: "With a known `Idempotency-Key` and the same request, the earlier signal.",
    limits: [requestLimit],
    request: { headers: signalHeadersSchema, body: signalRequestSchema },
    responses: requestResponses,
    errors: ["idempotency-conflict", "timeout"],
  }),
  requestSignalWithImage: defineRoute("POST /get-signal-with-image", {
    ...signals,
    scopes: ["signals"],
    summary: "Request a signal with a chart image",
    description:
      "Costs one image credit, which is refunded if the analysis fails or the image was of no use: not read, or of another market. Images that the model declines are refunded at most 3 times per user and UTC day. A warning of the signal says if one is charged.",
    limits: [requestLimit],
    request: {
      headers: signalHeadersSchema,
      body: signalRequestSchema,
      files: z.object({
        chart_image: uploadedFile("Attach a chart image."),
      }),
    },
    responses: requestResponses,
    errors: ["image-not-allowed", "no-credits", "idempotency-conflict", "timeout"],
  }),
  getSignal: defineRoute("GET /signals/:id", {
    ...oneSignal,
    scopes: ["read"],
    summary: "One signal",
    responses: {
      200: { description: "The signal in its current state.", schema: signalResponseSchema },
    },
  }),
  noteSignal: defineRoute("PUT /signals/:id/note", {
    ...oneSignal,
    summary: "Write a note on a signal",
    description: "For yourself: a shared signal does not show it. An empty note deletes it.",
    limits: [{ name: "note", points: 60, per: "minute", by: ["user"] }],
    request: { ...oneSignal.request, body: signalNoteSchema },
    responses: { 200: { description: "The note as it is stored.", schema: signalNoteSchema } },
  }),
  getSignalCandles: defineRoute("GET /signals/:id/candles", {
    ...oneSignal,
    scopes: ["read"],
    summary: "The closed candles that a signal was made from",
    responses: {
      200: {
        description: "Oldest first. Empty if the signal is not finished or has failed.",
        schema: signalCandlesSchema,
      },
    },
  }),
  getSignalEvidence: defineRoute("GET /signals/:id/evidence", {
    ...oneSignal,
    scopes: ["read"],
    summary: "What the analyst of a signal was given",
    description:
      "Nothing of it became known after the close of the analysed candle. The candles are at `/signals/{id}/candles`.",
    responses: {
      200: {
        description:
          "In its order. Empty if no analyst was asked, or the signal is of an earlier version.",
        schema: evidenceSchema,
      },
    },
  }),
  listSignals: defineRoute("GET /signal-history", {
    ...signals,
    scopes: ["read"],
    summary: "Your finished signals, newest first",
    request: { query: historyQuerySchema },
    responses: { 200: { description: "One page.", schema: historyPageSchema } },
  }),
  getHistoryTotals: defineRoute("GET /signal-history/totals", {
    ...signals,
    scopes: ["read"],
    summary: "Totals of your signals that match a filter",
    request: { query: historyFilterSchema },
    responses: { 200: { description: "Of all that match.", schema: historyTotalsSchema } },
  }),
  getFollowed: defineRoute("GET /me/followed", {
    ...signals,
    scopes: ["read"],
    summary: "Your signals as an account that had followed them",
    description:
      "Each trade risks a share of the balance at its entry, with the results and costs of the ledger. With `delay` 0, " +
      "results in R equal the ledger's. With another one, a trade that was filled earlier is entered at the first known price from " +
      "then on: the open of the next stored candle of the signal's timeframe. A trade of crypto that is open at a funding time also pays or " +
      "receives funding, at the rate of the perpetual future that was known when it was analysed: it is in the profits and balances, not " +
      "in R. Of the newest 10,000 signals.",
    limits: [{ name: "followed", points: 60, per: "minute", by: ["user"] }],
    request: { query: followedQuerySchema },
    responses: { 200: { description: "The account.", schema: followedSchema } },
  }),
  getSignalProgress: defineRoute("GET /signals/:id/since", {
    ...oneSignal,
    scopes: ["read"],
    summary: "Candles and outcome since a signal was made",
    description: "For its owner and for administrators.",
    responses: {
      200: {
        description: "Closed candles, oldest first. `judgement` is null while the trade is open.",
        schema: signalProgressSchema,
      },
    },
  }),
  shareSignal: defineRoute("POST /signals/:id/share", {
    ...oneSignal,
    summary: "Create a public link to a signal",
    description: "Replaces the previous link, which stops working.",
    limits: [{ name: "share", points: 60, per: "hour", by: ["user"] }],
    responses: {
      201: { description: "The token. It is shown only once.", schema: shareLinkSchema },
    },
    errors: ["not-found", "invalid-input"],
  }),
  unshareSignal: defineRoute("DELETE /signals/:id/share", {
    ...oneSignal,
    summary: "Revoke the link to a signal",
    responses: { 200: { ...done, description: "The link no longer works." } },
  }),
  getSharedSignal: defineRoute("GET /shared/:token", {
    ...sharedSignal,
    summary: "A shared signal",
    description: "Contains nothing about its owner. Not indexed by search engines.",
    responses: {
      200: {
        description:
          "The signal, its candles and its outcome. Of an open trade, as long as `SHARE_DELAY_MINUTES` says, only the market and when the rest is shown.",
        schema: sharedViewSchema,
        headers: { "X-Robots-Tag": "`noindex`." },
      },
    },
  }),
  getSharedImage: defineRoute("GET /shared/:token/image.png", {
    ...sharedSignal,
    summary: "The preview image of a shared signal",
    description: "1200 × 630 pixels, with levels, outcome and the origin of the data.",
    limits: [{ name: "share-image", points: 60, per: "minute", by: ["address"] }],
    responses: { 200: { description: "The image.", contentType: "image/png" } },
  }),
};

const changeLimit: RateLimit = { name: "watchlist", points: 120, per: "minute", by: ["user"] };

const watchlist = { tag: "Watchlist", access: "approved" } as const;

const params = z.object({ id: z.string().meta({ description: "The `id` of the item." }) });

export const watchlistRoutes = {
  getWatchlist: defineRoute("GET /watchlist", {
    ...watchlist,
    scopes: ["read", "watchlist"],
    summary: "Your watchlist, oldest item first",
    responses: { 200: { description: "All items.", schema: watchlistSchema } },
  }),
  addWatchlistItem: defineRoute("POST /watchlist", {
    ...watchlist,
    scopes: ["watchlist"],
    summary: "Watch a market",
    description: "At each close of its candles, you get a signal if the analysis is a trade.",
    limits: [changeLimit],
    request: { body: newWatchlistItemSchema },
    responses: { 201: { description: "The item.", schema: watchlistItemSchema } },
    errors: ["already-watched", "watchlist-full"],
  }),
  changeWatchlistItem: defineRoute("PATCH /watchlist/:id", {
    ...watchlist,
    scopes: ["watchlist"],
    summary: "Change an item of your watchlist",
    limits: [changeLimit],
    request: { params, body: watchlistItemChangeSchema },
    responses: { 200: { description: "The item.", schema: watchlistItemSchema } },
    errors: ["not-found"],
  }),
  deleteWatchlistItem: defineRoute("DELETE /watchlist/:id", {
    ...watchlist,
    scopes: ["watchlist"],
    summary: "Delete an item of your watchlist",
    request: { params },
    responses: { 204: { description: "The market is no longer watched." } },
    errors: ["not-found"],
  }),
};
