import {
  isWatchable,
  type NewWatchlistItem,
  type WatchlistItemChange,
} from "@shared/contract/watchlist.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import type { WatchlistItemRecord } from "@shared/database/models/watchlist.ts";
import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { Types } from "mongoose";
import { unauthenticated } from "../../http/errors.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { assertKnownSymbol } from "../markets/known-symbols.ts";

type WatchDeps = Pick<ServerDeps, "database" | "settings" | "now">;
type Owner = Pick<UserRecord, "_id">;

/** @throws AppError invalid-input, already-watched, watchlist-full */
export async function addItem(
  deps: WatchDeps,
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
      ...{ _id: new Types.ObjectId(), userId, symbol, timeframe },
      ...{ amount: input.amount, riskPercent: input.risk_percent, leverage: input.leverage },
      ...{ minConfidence: input.min_confidence, enabled: true, createdAt: uow.at },
    };
    uow.deferInsert(database.watchlistItems.collection, item);
    return item;
  });
}

function assertLongEnough(
  { settings }: Pick<WatchDeps, "settings">,
  { timeframe }: Pick<NewWatchlistItem, "timeframe">,
): void {
  const { WATCH_MIN_TIMEFRAME: shortest } = settings;
  if (isWatchable(timeframe, shortest)) return;
  const message = `Choose a timeframe of ${shortest} or longer.`;
  throw new AppError("invalid-input", message, { errors: [{ field: "timeframe", message }] });
}

/** Changes the user first: two additions at the same time conflict, and the later one sees the item of the other. */
async function assertFreePlace(
  { database, settings }: Pick<WatchDeps, "database" | "settings">,
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

/** @throws AppError not-found */
export async function changeItem(
  { database }: Pick<WatchDeps, "database">,
  item: { user: Owner; id: string },
  { min_confidence, amount, risk_percent, leverage, enabled }: WatchlistItemChange,
): Promise<WatchlistItemRecord> {
  const given = Object.entries({
    ...{ minConfidence: min_confidence, amount, riskPercent: risk_percent, leverage, enabled },
  }).filter(([, value]) => value !== undefined);
  const changed = await database.watchlistItems
    .findOneAndUpdate(
      ownItem(item),
      { $set: Object.fromEntries(given) },
      { returnDocument: "after" },
    )
    .lean();
  if (!changed) throw itemNotFound();
  return changed;
}

/** @throws AppError not-found */
export async function deleteItem(
  { database }: Pick<WatchDeps, "database">,
  item: { user: Owner; id: string },
): Promise<void> {
  const { deletedCount } = await database.watchlistItems.deleteOne(ownItem(item));
  if (deletedCount === 0) throw itemNotFound();
}

function ownItem({ user, id }: { user: Owner; id: string }) {
  if (!/^[0-9a-f]{24}$/.test(id)) throw itemNotFound();
  return { _id: new Types.ObjectId(id), userId: user._id };
}

const itemNotFound = () => new AppError("not-found", "This item is not on your watchlist.");
