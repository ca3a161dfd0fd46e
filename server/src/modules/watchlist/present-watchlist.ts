import { SIGNAL_DEFAULTS } from "@shared/contract/constants.ts";
import { isWatchable, type Watchlist, type WatchlistItem } from "@shared/contract/watchlist.ts";
import type { Database } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import type { WatchlistItemRecord } from "@shared/database/models/watchlist.ts";
import { nextOpenClose, readTradingHours } from "@shared/domain/trading-hours.ts";
import { cachedRead } from "../../http/cached-read.ts";
import type { ServerDeps } from "../../server-deps.ts";

type ListDeps = Pick<ServerDeps, "database" | "settings" | "now">;

export async function listWatchlist(
  deps: ListDeps,
  { _id: userId }: Pick<UserRecord, "_id">,
): Promise<Watchlist> {
  const { database, settings } = deps;
  const items = await database.watchlistItems
    .find({ userId })
    .sort({ createdAt: 1, _id: 1 })
    .lean();
  return {
    items: await Promise.all(items.map((item) => presentItem(deps, item))),
    limit: settings.WATCHLIST_LIMIT,
    min_timeframe: settings.WATCH_MIN_TIMEFRAME,
  };
}

export async function presentItem(
  deps: ListDeps,
  item: WatchlistItemRecord,
): Promise<WatchlistItem> {
  const { symbol, timeframe } = item;
  const [hoursOf, last] = await Promise.all([tradingHours(deps), findLast(deps.database, item)]);
  // The setting may have been raised since the item was added.
  const nextAt = isWatchable(timeframe, deps.settings.WATCH_MIN_TIMEFRAME)
    ? nextOpenClose(hoursOf(symbol), { timeframe, at: deps.now().getTime() })
    : null;
  return {
    ...{ id: item._id.toString(), symbol, timeframe, min_confidence: item.minConfidence },
    ...{ amount: item.amount, risk_percent: item.riskPercent, leverage: item.leverage },
    ...{ enabled: item.enabled, created_at: item.createdAt.toISOString() },
    next_at: nextAt === null ? null : new Date(nextAt).toISOString(),
    last,
  };
}

const REREAD_AFTER_MS = 10_000;

const tradingHours = cachedRead(
  REREAD_AFTER_MS,
  ({ database }: Pick<ListDeps, "database" | "now">) => readTradingHours(database),
);

/** The last shared analysis as it is made for watchlists, also if a request started it. */
async function findLast(
  { marketAnalyses, signals }: Pick<Database, "marketAnalyses" | "signals">,
  { userId, symbol, timeframe }: WatchlistItemRecord,
): Promise<WatchlistItem["last"]> {
  const analysis = await marketAnalyses
    .findOne({
      ...{ symbol, timeframe, limit: SIGNAL_DEFAULTS.limit, finishedAt: { $exists: true } },
      ...{ chartImageId: { $exists: false } },
      // Analyses of images have none; those that failed have lost theirs.
      $or: [{ key: { $exists: true } }, { status: "failed" }],
    })
    .sort({ finishedAt: -1 })
    .select({ status: 1, finishedAt: 1, "result.analysis": 1 })
    .lean();
  const { result, finishedAt } = analysis ?? {};
  if (!analysis || !result || !finishedAt || result.analysis.source.demo_record) return null;
  const { final_signal, confidence } = result.analysis;
  const signal = await signals
    .findOne({ analysisId: analysis._id, userId })
    .sort({ createdAt: -1 })
    .select({ _id: 1 })
    .lean();
  return {
    at: finishedAt.toISOString(),
    final_signal: analysis.status === "failed" ? null : final_signal,
    confidence,
    signal_id: signal?._id.toString() ?? null,
  };
}
