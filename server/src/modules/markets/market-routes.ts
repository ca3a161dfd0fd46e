import Router from "@koa/router";
import type { Markets } from "@shared/contract/markets.ts";
import {
  MARKET_SNAPSHOT_ID,
  type MarketQuoteRecord,
  type MarketSnapshotRecord,
} from "@shared/database/models/worker-reports.ts";
import type { AppRouter, AppState } from "../../http/context.ts";
import type { ServerDeps } from "../../server-deps.ts";

/** Half of the time in which the workers read the prices anew. */
const CACHE_SECONDS = 30;

/** What the product's symbols cost; public. */
export function createMarketRoutes({ database }: Pick<ServerDeps, "database">): AppRouter {
  const router = new Router<AppState>();

  router.get("/markets", async (ctx) => {
    const snapshot = await database.marketSnapshots.findById(MARKET_SNAPSHOT_ID).lean();
    ctx.set("Cache-Control", `public, max-age=${CACHE_SECONDS}`);
    ctx.body = presentMarkets(snapshot);
  });

  return router;
}

/** The answer of `GET /markets`; without a snapshot nothing is known yet. */
function presentMarkets(snapshot: MarketSnapshotRecord | null): Markets {
  if (!snapshot) return { markets: [], updated_at: null };
  return {
    markets: snapshot.quotes.map(presentQuote),
    updated_at: snapshot.updatedAt.toISOString(),
  };
}

function presentQuote(quote: MarketQuoteRecord): Markets["markets"][number] {
  const { symbol, price, changePercent, high, low, closes, data, asOf } = quote;
  return {
    symbol,
    price,
    change_percent: changePercent,
    high,
    low,
    closes,
    data,
    as_of: asOf.toISOString(),
  };
}
