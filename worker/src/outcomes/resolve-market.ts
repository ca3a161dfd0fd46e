import { type Candle, TIMEFRAME_MS } from "@shared/contract/candle.ts";
import { instrumentClass } from "@shared/contract/instruments.ts";
import { withDeadline } from "@shared/node/deadline.ts";
import { marketKey } from "@shared/node/models/outcome-candles.ts";
import { resolveTrade } from "@shared/outcomes/resolve-trade.ts";
import type { Market } from "./candle-archive.ts";
import { commitOutcome } from "./commit-outcome.ts";
import { keepMarketCandles } from "./keep-market-candles.ts";
import type { PendingTrade } from "./pending-trade.ts";
import type { ResolveDeps } from "./resolve-outcomes.ts";
import { nextLook, soon } from "./schedule.ts";

/** One market is read for no longer than this; the others wait. */
const READ_TIMEOUT_MS = 20_000;

/** A trade is resolved, waits for later candles, or could not be resolved this time. */
type Attempt = "resolved" | "waits" | "failed";

/**
 * Resolves the due trades of one market, and sets when the others are due next. A market that cannot be read is not
 * read again for a while.
 * @returns how many trades were resolved
 */
export function resolveMarket(
  deps: ResolveDeps,
  due: { market: Market; trades: readonly PendingTrade[] },
): Promise<number> {
  return withDeadline({ abort: deps.abort, timeoutMs: READ_TIMEOUT_MS }, (abort) =>
    resolveUntil(deps, { ...due, abort }),
  );
}

async function resolveUntil(
  deps: ResolveDeps,
  due: { market: Market; trades: readonly PendingTrade[]; abort: AbortSignal },
): Promise<number> {
  const { market, trades, abort } = due;
  const now = deps.now().getTime();
  const key = marketKey(market);
  const from = Math.min(...trades.map(({ trade }) => trade.createdAt));
  let candles: Candle[];
  try {
    candles = await deps.archive.since(market, { from, now, abort });
  } catch (error) {
    if (deps.abort.aborted) return 0;
    await leaveAlone(deps, { market, until: deps.backoff.failed(key, now), error });
    return 0;
  }
  deps.backoff.succeeded(key);
  await keepMarketCandles(deps, { key, candles });
  const found: Record<Attempt, PendingTrade[]> = { resolved: [], waits: [], failed: [] };
  for (const pending of trades) {
    if (deps.abort.aborted) break;
    found[await resolveOne(deps, { pending, candles, now, abort })].push(pending);
  }
  const last = candles.at(-1);
  const lastClose = last ? last.time + TIMEFRAME_MS[market.timeframe] : 0;
  await checkAgain(deps, found.waits, nextLook({ timeframe: market.timeframe, lastClose, now }));
  await checkAgain(deps, found.failed, soon(now));
  return found.resolved.length;
}

async function resolveOne(
  deps: ResolveDeps,
  look: { pending: PendingTrade; candles: Candle[]; now: number; abort: AbortSignal },
): Promise<Attempt> {
  const { now, abort } = look;
  const { analysisId, market, trade } = look.pending;
  const lengthMs = TIMEFRAME_MS[trade.timeframe];
  const candles = look.candles.filter(({ time }) => time + lengthMs > trade.createdAt);
  try {
    const judgement = await resolveTrade({
      trade,
      candles,
      finer: (candle, timeframe) => deps.archive.parts(market, { candle, timeframe, now, abort }),
      now,
      costs: deps.tradingCosts[instrumentClass(market.symbol)],
    });
    if (!judgement) return "waits";
    const resolvedAt = Date.parse(judgement.resolved_at);
    const seen = candles.filter(({ time }) => time < resolvedAt);
    await commitOutcome(deps, analysisId, { judgement, candles: seen });
    return "resolved";
  } catch (error) {
    deps.logger.warn({ err: error, analysisId }, "trade not resolved this time");
    return "failed";
  }
}

async function checkAgain(
  { database }: ResolveDeps,
  trades: readonly PendingTrade[],
  at: number,
): Promise<void> {
  if (trades.length === 0) return;
  const ids = trades.map(({ analysisId }) => analysisId);
  await database.marketAnalyses.updateMany(
    { _id: { $in: ids }, outcome: { $exists: false } },
    { $set: { resolveAt: new Date(at) } },
  );
}

/** Nothing of the market is tried again before `until`, the trades of other batches included. */
async function leaveAlone(
  { database, logger, now }: ResolveDeps,
  { market, until, error }: { market: Market; until: number; error: unknown },
): Promise<void> {
  const { data, provider, symbol, timeframe } = market;
  logger.warn({ err: error, symbol, timeframe }, "market not read, its trades wait");
  const due = {
    ...{ resolveAt: { $lte: now() }, outcome: { $exists: false }, symbol, timeframe },
    "result.analysis.source.data": data,
    "result.analysis.source.provider": provider,
  };
  await database.marketAnalyses.updateMany(due, { $set: { resolveAt: new Date(until) } });
}
