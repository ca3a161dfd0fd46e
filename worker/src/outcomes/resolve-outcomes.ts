import type { TradingCostTable } from "@shared/contract/trading-costs.ts";
import type { Database } from "@shared/node/database.ts";
import type { Logger } from "@shared/node/logger.ts";
import type { MarketAnalysisRecord } from "@shared/node/models/market-analysis.ts";
import { marketKey } from "@shared/node/models/outcome-candles.ts";
import { Semaphore } from "async-mutex";
import type { CandleArchive, Market } from "./candle-archive.ts";
import { finishOutcome } from "./commit-outcome.ts";
import { type PendingTrade, pendingTrade } from "./pending-trade.ts";
import { resolveMarket } from "./resolve-market.ts";
import type { MarketBackoff } from "./schedule.ts";

/** Analyses read at once; what is due beyond them follows. */
const BATCH_SIZE = 500;
/** Markets read at the same time. */
const MARKETS_AT_A_TIME = 6;

export interface ResolveDeps {
  database: Database;
  logger: Logger;
  archive: CandleArchive;
  backoff: MarketBackoff;
  now: () => Date;
  tradingCosts: TradingCostTable;
  /** Ends the run; what is left is due again in the next one. */
  abort: AbortSignal;
}

/**
 * Resolves the trade of every analysis that is due and recorded in the ledger, market by market, so that all trades of
 * one share what is read of it. A trade that is not resolved yet gets the time of its next check, so a run can end
 * anywhere.
 * @returns how many trades were resolved
 */
export async function resolveOutcomes(deps: ResolveDeps): Promise<number> {
  const until = deps.now();
  let resolved = 0;
  while (!deps.abort.aborted) {
    const due = await findDue(deps.database, until);
    if (due.length === 0) break;
    const trades: PendingTrade[] = [];
    for (const analysis of due) {
      const trade = analysis.judgement ? null : pendingTrade(analysis);
      if (trade) trades.push(trade);
      else await finishOutcome(deps, analysis);
    }
    resolved += await resolveByMarket(deps, trades);
  }
  return resolved;
}

type DueAnalysis = Omit<MarketAnalysisRecord, "receipt">;

function findDue(database: Database, until: Date): Promise<DueAnalysis[]> {
  return database.marketAnalyses
    .find({ resolveAt: { $lte: until }, ledgerSeq: { $exists: true } })
    .sort({ resolveAt: 1 })
    .limit(BATCH_SIZE)
    .select({ receipt: 0, "result.analysis.raw_ai": 0 })
    .lean<DueAnalysis[]>();
}

async function resolveByMarket(
  deps: ResolveDeps,
  pending: readonly PendingTrade[],
): Promise<number> {
  const markets = new Map<string, { market: Market; trades: PendingTrade[] }>();
  for (const one of pending) {
    const key = marketKey(one.market);
    const known = markets.get(key);
    if (known) known.trades.push(one);
    else markets.set(key, { market: one.market, trades: [one] });
  }
  const limit = new Semaphore(MARKETS_AT_A_TIME);
  const counts = await Promise.all(
    [...markets.values()].map((market) =>
      limit.runExclusive(() => (deps.abort.aborted ? 0 : resolveMarket(deps, market))),
    ),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
