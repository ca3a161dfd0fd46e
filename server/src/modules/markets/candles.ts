import { setTimeout } from "node:timers/promises";
import { type CandlesQuery, serviceRoutes } from "@shared/contract/routes/service-routes.ts";
import type { Database } from "@shared/database/database.ts";
import { type CurrentCandlesRecord, chartKey } from "@shared/database/models/market-data.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { findActiveWorkers } from "@shared/work/active-workers.ts";
import { LRUCache } from "lru-cache";
import { unlessKnown } from "../../http/caching.ts";
import { type BoundRoute, handle } from "../../http/router.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { assertKnownSymbol } from "./known-symbols.ts";

type Market = Pick<CandlesQuery, "symbol" | "timeframe">;

/** Requests for a market within this time are answered with one read. */
const CACHE_MS = 500;
const MAX_CACHED_MARKETS = 100;

/** The newest candles of a market. Simultaneous requests share one read. */
export function createCandleHandlers(deps: ServerDeps): BoundRoute[] {
  const markets = new LRUCache<string, CurrentCandlesRecord, Market>({
    max: MAX_CACHED_MARKETS,
    ttl: CACHE_MS,
    fetchMethod: (_key, _stale, { context }) => readCurrentCandles(deps.database, context),
  });
  const getCandles = handle(serviceRoutes.getCandles, async ({ query }, { ctx }) => {
    const { symbol, timeframe, limit } = query;
    await assertKnownSymbol(deps, symbol);
    const key = chartKey(symbol, timeframe);
    const current = await markets.forceFetch(key, { context: { symbol, timeframe } });
    if (current.candles.length === 0) throw noCandles(symbol);
    const { source, opensAt, delayMs: delay_ms } = current;
    const opens_at = opensAt?.toISOString() ?? null;
    const candles = current.candles.slice(-limit);
    const body = { symbol, timeframe, source, candles, opens_at, delay_ms };
    const untilCloseMs = current.nextCloseAt.getTime() - deps.now().getTime();
    const maxAgeSeconds = Math.max(0, Math.floor(untilCloseMs / 1_000));
    ctx.set("Cache-Control", `public, max-age=${maxAgeSeconds}`);
    return unlessKnown(ctx, body);
  });
  return [getCandles];
}

/** The API promises its 503 within 10 s. */
const WAIT_MS = 8_000;
const POLL_INTERVAL_MS = 50;

/** The candles as a worker stored them a moment ago; otherwise a worker is asked for them. */
async function readCurrentCandles(
  database: Database,
  market: Market,
): Promise<CurrentCandlesRecord> {
  const stored = await findFresh(database, market);
  if (stored) return stored;
  if ((await findActiveWorkers(database)).length === 0) throw noCandles(market.symbol);
  await requestCandles(database, market);
  const deadline = performance.now() + WAIT_MS;
  while (performance.now() < deadline) {
    await setTimeout(POLL_INTERVAL_MS);
    const answer = await findFresh(database, market);
    if (answer) return answer;
  }
  throw noCandles(market.symbol);
}

function findFresh(
  { currentCandles }: Database,
  { symbol, timeframe }: Market,
): Promise<CurrentCandlesRecord | null> {
  const isFresh = { $expr: { $gt: ["$freshUntil", "$$NOW"] } };
  return currentCandles.findOne({ _id: chartKey(symbol, timeframe), ...isFresh }).lean();
}

/** A worker that took a request this long ago has stopped. */
const ANSWER_TIMEOUT_MS = 12_000;

/** Does nothing while a request for the market waits or is being answered. */
async function requestCandles(
  { candleRequests }: Database,
  { symbol, timeframe }: Market,
): Promise<void> {
  const _id = chartKey(symbol, timeframe);
  const oldest = { $subtract: ["$$NOW", ANSWER_TIMEOUT_MS] };
  await candleRequests.deleteOne({ _id, $expr: { $lt: ["$requestedAt", oldest] } });
  const requestedAt = { $ifNull: ["$requestedAt", "$$NOW"] };
  const request = { symbol: { $literal: symbol }, timeframe, requestedAt };
  await candleRequests.updateOne({ _id }, [{ $set: request }], {
    upsert: true,
    updatePipeline: true,
  });
}

const RETRY_AFTER_SECONDS = 5;

function noCandles(symbol: string): AppError {
  const detail = `There is no data of ${symbol} at the moment. Please try again soon.`;
  return new AppError("unavailable", detail, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
