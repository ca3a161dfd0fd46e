import { SIGNAL_DEFAULTS } from "@shared/contract/constants.ts";
import { watchlistRoutes } from "@shared/contract/routes/signal-routes.ts";
import {
  isWatchable,
  type NewWatchlistItem,
  type Watchlist,
  type WatchlistItem,
  type WatchlistItemChange,
} from "@shared/contract/watchlist.ts";
import type { Database } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import type { WatchlistItemRecord } from "@shared/database/models/watchlist.ts";
import { nextOpenClose, readTradingHours } from "@shared/domain/trading-hours.ts";
import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { Types } from "mongoose";
import { cachedRead } from "../../http/caching.ts";
import { unauthenticated } from "../../http/errors.ts";
import { type BoundRoute, handle } from "../../http/router.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { assertKnownSymbol } from "../markets/known-symbols.ts";

export const watchlistHandlers: BoundRoute[] = [
  handle(watchlistRoutes.getWatchlist, (_, { deps, session }) => listWatchlist(deps, session.user)),
  handle(watchlistRoutes.addWatchlistItem, async ({ body }, { deps, session }) =>
    presentItem(deps, await addItem(deps, session.user, body)),
  ),
  handle(watchlistRoutes.changeWatchlistItem, async ({ params, body }, { deps, session }) =>
    presentItem(deps, await changeItem(deps, session.user, params.id, body)),
  ),
  handle(watchlistRoutes.deleteWatchlistItem, ({ params }, { deps, session }) =>
    deleteItem(deps, session.user, params.id),
  ),
];

type Owner = Pick<UserRecord, "_id">;

async function addItem(
  deps: ServerDeps,
  { _id: userId }: Owner,
  input: NewWatchlistItem,
): Promise<WatchlistItemRecord> {
  const { database, now } = deps;
  const { symbol, timeframe } = input;
  assertLongEnough(deps, input);
  await assertKnownSymbol(deps, symbol);
  return commit(database, { lockKeys: userStream(userId), now }, async (uow) => {
    await assertFreePlace(deps, uow, { userId, symbol, timeframe });
    const item = {
      _id: new Types.ObjectId(),
      userId,
      symbol,
      timeframe,
      amount: input.amount,
      riskPercent: input.risk_percent,
      leverage: input.leverage,
      minConfidence: input.min_confidence,
      enabled: true,
      createdAt: uow.at,
    };
    uow.deferInsert(database.watchlistItems, item);
    return item;
  });
}

function assertLongEnough(
  { settings }: Pick<ServerDeps, "settings">,
  { timeframe }: Pick<NewWatchlistItem, "timeframe">,
): void {
  const { WATCH_MIN_TIMEFRAME: shortest } = settings;
  if (isWatchable(timeframe, shortest)) return;
  const message = `Choose a timeframe of ${shortest} or longer.`;
  throw new AppError("invalid-input", message, { errors: [{ field: "timeframe", message }] });
}

/** Changes the user first: two additions at the same time conflict, and the later one sees the item of the other. */
async function assertFreePlace(
  { database, settings }: Pick<ServerDeps, "database" | "settings">,
  { session }: UnitOfWork,
  market: Pick<WatchlistItemRecord, "userId" | "symbol" | "timeframe">,
): Promise<void> {
  const { userId, symbol, timeframe } = market;
  const { matchedCount } = await database.users.updateOne(
    { _id: userId },
    { $inc: { watchlistVersion: 1 } },
    { session },
  );
  if (matchedCount === 0) throw unauthenticated();
  if (await database.watchlistItems.exists(market).session(session)) {
    const message = `You already watch ${symbol} ${timeframe}.`;
    throw new AppError("already-watched", message, { errors: [{ field: "symbol", message }] });
  }
  const { WATCHLIST_LIMIT: limit } = settings;
  if ((await database.watchlistItems.countDocuments({ userId }, { session })) < limit) return;
  const detail = `Your watchlist is full. It can have ${limit} ${limit === 1 ? "item" : "items"}.`;
  throw new AppError("watchlist-full", detail);
}

async function changeItem(
  { database }: Pick<ServerDeps, "database">,
  user: Owner,
  id: string,
  { min_confidence, amount, risk_percent, leverage, enabled }: WatchlistItemChange,
): Promise<WatchlistItemRecord> {
  const changes = Object.entries({
    minConfidence: min_confidence,
    amount,
    riskPercent: risk_percent,
    leverage,
    enabled,
  }).filter(([, value]) => value !== undefined);
  const changed = await database.watchlistItems
    .findOneAndUpdate(
      ownItem(user, id),
      { $set: Object.fromEntries(changes) },
      { returnDocument: "after" },
    )
    .lean();
  if (!changed) throw itemNotFound();
  return changed;
}

async function deleteItem(
  { database }: Pick<ServerDeps, "database">,
  user: Owner,
  id: string,
): Promise<void> {
  const { deletedCount } = await database.watchlistItems.deleteOne(ownItem(user, id));
  if (deletedCount === 0) throw itemNotFound();
}

function ownItem(user: Owner, id: string) {
  if (!/^[0-9a-f]{24}$/.test(id)) throw itemNotFound();
  return { _id: new Types.ObjectId(id), userId: user._id };
}

const itemNotFound = () => new AppError("not-found", "This item is not on your watchlist.");

async function listWatchlist(
  deps: ServerDeps,
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

async function presentItem(deps: ServerDeps, item: WatchlistItemRecord): Promise<WatchlistItem> {
  const { symbol, timeframe } = item;
  const [hoursOf, last] = await Promise.all([tradingHours(deps), findLast(deps.database, item)]);
  // The setting may have been raised since the item was added.
  const nextAt = isWatchable(timeframe, deps.settings.WATCH_MIN_TIMEFRAME)
    ? nextOpenClose(hoursOf(symbol), timeframe, deps.now().getTime())
    : null;
  return {
    id: item._id.toString(),
    symbol,
    timeframe,
    min_confidence: item.minConfidence,
    amount: item.amount,
    risk_percent: item.riskPercent,
    leverage: item.leverage,
    enabled: item.enabled,
    created_at: item.createdAt.toISOString(),
    next_at: nextAt === null ? null : new Date(nextAt).toISOString(),
    last,
  };
}

const REREAD_AFTER_MS = 10_000;

const tradingHours = cachedRead(
  REREAD_AFTER_MS,
  ({ database }: Pick<ServerDeps, "database" | "now">) => readTradingHours(database),
);

/** The last shared analysis as it is made for watchlists, also if a request started it. */
async function findLast(
  { marketAnalyses, signals }: Database,
  { userId, symbol, timeframe }: WatchlistItemRecord,
): Promise<WatchlistItem["last"]> {
  const analysis = await marketAnalyses
    .findOne({
      symbol,
      timeframe,
      limit: SIGNAL_DEFAULTS.limit,
      finishedAt: { $exists: true },
      chartImageId: { $exists: false },
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
