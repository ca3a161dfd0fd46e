import { DAY_MS } from "@shared/contract/constants.ts";
import { type EconomicEventList, EVENT_WINDOW } from "@shared/contract/economic-events.ts";
import type { Status } from "@shared/contract/market-data.ts";
import type { Markets } from "@shared/contract/markets.ts";
import { serviceRoutes } from "@shared/contract/routes/service-routes.ts";
import {
  MARKET_SNAPSHOT_ID,
  type MarketSnapshotRecord,
} from "@shared/database/models/worker-reports.ts";
import { eventsConcerning, readEconomicCalendar } from "@shared/domain/economic-events.ts";
import { productVersion } from "@shared/runtime/settings.ts";
import { findActiveWorkers } from "@shared/work/active-workers.ts";
import { cachedRead } from "../../http/caching.ts";
import { type BoundRoute, handle } from "../../http/router.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { countPriceFeeds } from "./price-feeds.ts";

const FEEDS_CACHE_MS = 1_000;

/** Workers read the prices once a minute. */
const CACHE_SECONDS = 30;

/** Latest prices of the suggested symbols, and the sources of signals. */
export const marketHandlers: BoundRoute[] = [
  handle(serviceRoutes.getMarkets, async (_, { ctx, deps }) => {
    const snapshot = await deps.database.marketSnapshots.findById(MARKET_SNAPSHOT_ID).lean();
    ctx.set("Cache-Control", `public, max-age=${CACHE_SECONDS}`);
    return presentMarkets(snapshot);
  }),
  handle(serviceRoutes.getEconomicEvents, async ({ query }, { ctx, deps }) => {
    ctx.set("Cache-Control", `public, max-age=${CACHE_SECONDS}`);
    return findNextEvents(deps, query.symbol);
  }),
  handle(serviceRoutes.getStatus, async (_, { deps }) => ({
    ...(await getSignalSources(deps)),
    version: productVersion(),
    ...(await lostPriceFeeds(deps)),
  })),
];

const readCalendar = cachedRead(FEEDS_CACHE_MS, ({ database }: ServerDeps) =>
  readEconomicCalendar(database),
);

async function findNextEvents(deps: ServerDeps, symbol: string): Promise<EconomicEventList> {
  const calendar = await readCalendar(deps);
  if (!calendar) return { events: null };
  const now = deps.database.now().getTime();
  const events = eventsConcerning(symbol, calendar.events).filter(({ at }) => {
    const time = Date.parse(at);
    return time > now - EVENT_WINDOW.afterMs && time <= now + DAY_MS;
  });
  return { events };
}

function presentMarkets(snapshot: MarketSnapshotRecord | null): Markets {
  if (!snapshot) return { markets: [], updated_at: null };
  return {
    markets: snapshot.quotes.map(({ changePercent, asOf, hours: _hours, ...quote }) => ({
      ...quote,
      change_percent: changePercent,
      as_of: asOf.toISOString(),
    })),
    updated_at: snapshot.updatedAt.toISOString(),
  };
}

const lostPriceFeeds = cachedRead(FEEDS_CACHE_MS, async ({ database }: ServerDeps) => {
  const { fallback } = await countPriceFeeds(database);
  return fallback > 0 ? { lost_price_feeds: fallback } : {};
});

/**
 * The sources of a signal that is requested now, as reported by the active workers. If they differ, demo data and the
 * rule-based analyst win, so that these are never used without notice.
 */
async function getSignalSources({
  database,
  settings,
}: ServerDeps): Promise<Omit<Status, "version">> {
  const workers = await findActiveWorkers(database);
  if (workers.length === 0) {
    // Those that a worker would start with. `auto` counts as demo data until a worker reports.
    return {
      market_data: settings.MARKET_DATA === "live" ? "live" : "replay",
      analyst: settings.OPENAI_API_KEY ? "openai" : "rules",
    };
  }
  return {
    market_data: workers.some((worker) => worker.marketData === "replay") ? "replay" : "live",
    analyst: workers.some((worker) => worker.analyst === "rules") ? "rules" : "openai",
  };
}
