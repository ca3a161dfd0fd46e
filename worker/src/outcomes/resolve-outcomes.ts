import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import { instrumentClass } from "@shared/contract/instruments.ts";
import type { TradingCostTable } from "@shared/contract/trading-costs.ts";
import type { Database } from "@shared/database/database.ts";
import { type MarketAnalysisRecord, marketKey } from "@shared/database/models/market-analysis.ts";
import { resolveTrade } from "@shared/outcomes/resolve-trade.ts";
import { type Trade, tradeOfFigures } from "@shared/outcomes/simulate-trade.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import { Semaphore } from "async-mutex";
import type { Types } from "mongoose";
import { withDeadline } from "../market-data/deadline.ts";
import { figuresOf } from "../record/append-records.ts";
import type { CandleArchive, Market } from "./candle-archive.ts";
import { commitOutcome, finishOutcome } from "./commit-outcome.ts";

const BATCH_SIZE = 500;
const MARKETS_AT_A_TIME = 6;

interface ResolveDeps {
  database: Database;
  logger: Logger;
  archive: CandleArchive;
  backoff: MarketBackoff;
  now: () => Date;
  tradingCosts: TradingCostTable;
  abort: AbortSignal;
}

/**
 * Resolves all due trades of the ledger, market by market. Others get the time of their next check, so a run can end
 * anywhere.
 * @returns the number of resolved trades
 */
export async function resolveOutcomes(deps: ResolveDeps): Promise<number> {
  const until = deps.now();
  let resolved = 0;
  while (!deps.abort.aborted) {
    const due = await findDue(deps.database, until);
    if (due.length === 0) break;
    const trades: PendingTrade[] = [];
    for (const analysis of due) {
      const trade = analysis.resolution ? null : pendingTrade(analysis);
      if (trade) trades.push(trade);
      else await finishOutcome(deps, analysis);
    }
    resolved += await resolveByMarket(deps, trades);
  }
  return resolved;
}

type DueAnalysis = Omit<MarketAnalysisRecord, "provenance">;

function findDue(database: Database, until: Date): Promise<DueAnalysis[]> {
  return database.marketAnalyses
    .find({ resolveAt: { $lte: until }, ledgerSeq: { $exists: true } })
    .sort({ resolveAt: 1 })
    .limit(BATCH_SIZE)
    .select({ provenance: 0, "result.analysis.raw_ai": 0 })
    .lean<DueAnalysis[]>();
}

async function resolveByMarket(
  deps: ResolveDeps,
  pending: readonly PendingTrade[],
): Promise<number> {
  const markets = new Map<string, DueMarket>();
  for (const one of pending) {
    const key = marketKey(one.market);
    const due = markets.get(key) ?? { key, market: one.market, trades: [] };
    due.trades.push(one);
    markets.set(key, due);
  }
  const limit = new Semaphore(MARKETS_AT_A_TIME);
  const counts = await Promise.all(
    [...markets.values()].map((due) =>
      limit.runExclusive(() =>
        withDeadline({ abort: deps.abort, timeoutMs: READ_TIMEOUT_MS }, (abort) =>
          deps.abort.aborted ? Promise.resolve(0) : resolveMarket(deps, due, abort),
        ),
      ),
    ),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

const READ_TIMEOUT_MS = 20_000;

type Attempt = "resolved" | "waits" | "failed";

interface DueMarket {
  key: string;
  market: Market;
  trades: PendingTrade[];
}

async function resolveMarket(
  deps: ResolveDeps,
  { key, market, trades }: DueMarket,
  abort: AbortSignal,
): Promise<number> {
  const now = deps.now().getTime();
  const from = Math.min(...trades.map(({ trade }) => trade.createdAt));
  let candles: Candle[];
  try {
    candles = await deps.archive.since(market, { from, now, abort });
  } catch (error) {
    if (deps.abort.aborted) return 0;
    await postpone(deps, { market, until: deps.backoff.failed(key, now), error });
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
  const { timeframe } = market;
  const lastClose = last ? last.time + TIMEFRAME_MS[timeframe] : 0;
  await checkAgain(deps, found.waits, nextCheckAt({ timeframe, lastClose, now }));
  await checkAgain(deps, found.failed, now + BACKOFF_MS.min);
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
    const resolution = await resolveTrade({
      trade,
      candles,
      finer: (candle, timeframe) => deps.archive.parts(market, { candle, timeframe, now, abort }),
      now,
      costs: deps.tradingCosts[instrumentClass(market.symbol)],
    });
    if (!resolution) return "waits";
    const resolvedAt = Date.parse(resolution.resolved_at);
    const seen = candles.filter(({ time }) => time < resolvedAt);
    await commitOutcome(deps, analysisId, { resolution, candles: seen });
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

async function postpone(
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

interface PendingTrade {
  analysisId: Types.ObjectId;
  market: Market;
  trade: Trade;
}

function pendingTrade(
  analysis: Parameters<typeof figuresOf>[0] & Pick<MarketAnalysisRecord, "_id">,
): PendingTrade | null {
  const figures = figuresOf(analysis);
  const { data, provider, symbol, timeframe } = figures;
  const trade = tradeOfFigures(figures);
  if (!trade || data === "none") return null;
  return { analysisId: analysis._id, market: { data, provider, symbol, timeframe }, trade };
}

const MAX_CANDLES = 600;

async function keepMarketCandles(
  { database, now }: { database: Database; now: () => Date },
  { key, candles }: { key: string; candles: readonly Candle[] },
): Promise<void> {
  const newest = candles.at(-1);
  if (!newest) return;
  const kept = await database.marketCandles.findById(key).lean();
  const [first] = candles;
  const isKept =
    kept?.candles.at(-1)?.time === newest.time &&
    (kept.candles[0]?.time ?? newest.time) <= (first?.time ?? 0);
  if (isKept) return;
  const byTime = new Map([...(kept?.candles ?? []), ...candles].map((one) => [one.time, one]));
  const merged = [...byTime.values()].sort((a, b) => a.time - b.time).slice(-MAX_CANDLES);
  await database.marketCandles.updateOne(
    { _id: key },
    { $set: { candles: merged, updatedAt: now() } },
    { upsert: true },
  );
}

const SETTLE_MS = 2_000;
/** First and last interval for a missing candle, as while a market is closed. */
const LATE_MS = { min: 15_000, max: 60_000 } as const;
const BACKOFF_MS = { min: 15_000, max: 300_000 } as const;

/** Next check in Unix milliseconds; `lastClose` is the close of the newest candle. */
function nextCheckAt(at: { timeframe: Timeframe; lastClose: number; now: number }): number {
  const { timeframe, lastClose, now } = at;
  const lengthMs = TIMEFRAME_MS[timeframe];
  const dueClose = Math.floor(now / lengthMs) * lengthMs;
  const afterNext = dueClose + lengthMs + SETTLE_MS;
  if (lastClose >= dueClose) return afterNext;
  const waitMs = Math.min(Math.max((now - dueClose) / 2, LATE_MS.min), LATE_MS.max);
  return Math.min(now + waitMs, afterNext);
}

/** Exponential backoff per market. */
export class MarketBackoff {
  readonly #failures = new Map<string, number>();

  failed(market: string, now: number): number {
    const failures = this.#failures.get(market) ?? 0;
    this.#failures.set(market, failures + 1);
    return now + Math.min(BACKOFF_MS.min * 2 ** failures, BACKOFF_MS.max);
  }

  succeeded(market: string): void {
    this.#failures.delete(market);
  }
}
