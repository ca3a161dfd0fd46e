import { instrumentClass } from "@shared/contract/instruments.ts";
import { TIMEFRAME_MS } from "@shared/contract/market-data.ts";
import { validUntil } from "@shared/contract/signal.ts";
import type { MarketAnalysisRecord } from "@shared/database/models/market-analysis.ts";
import { resolveTrade } from "@shared/outcomes/resolve-trade.ts";
import type { Trade } from "@shared/outcomes/simulate-trade.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import type { CandleArchive, Market } from "./candle-archive.ts";

type JudgeDeps = Pick<WorkerDeps, "database" | "logger" | "now" | "tradingCosts"> & {
  archive: CandleArchive;
  abort: AbortSignal;
};

const BATCH_SIZE = 100;

/** Candles until the rejected trade of a WAIT is looked at. No user waits for it, so it is not followed candle by candle. */
const FIRST_LOOK_CANDLES = 12;

/** By how much each further look is later than the one before, since the WAIT. */
const LATER_LOOK = 1.5;

/** A market without candles for so long has no more. */
const GIVE_UP_CANDLES = 2_000;

/** When the rejected trade of a WAIT of this time is looked at first. */
export const firstLookAt = (timeframe: MarketAnalysisRecord["timeframe"], finishedAt: Date): Date =>
  new Date(finishedAt.getTime() + FIRST_LOOK_CANDLES * TIMEFRAME_MS[timeframe]);

type WaitRecord = Pick<
  MarketAnalysisRecord,
  "_id" | "symbol" | "timeframe" | "finishedAt" | "candleClosedAt" | "result" | "rejectedTrade"
>;

/**
 * Resolves the trades that WAITs rejected, by the rules and candles of all trades. A day with one is counted again.
 * @returns how many ended
 */
export async function judgeWaits(deps: JudgeDeps): Promise<number> {
  const { database, now, abort } = deps;
  const waits = await database.marketAnalyses
    .find({ judgeAt: { $lte: now() } })
    .sort({ judgeAt: 1 })
    .limit(BATCH_SIZE)
    .select({
      symbol: 1,
      timeframe: 1,
      finishedAt: 1,
      candleClosedAt: 1,
      "result.analysis.source": 1,
      rejectedTrade: 1,
    })
    .lean<WaitRecord[]>();
  let judged = 0;
  for (const wait of waits) {
    if (abort.aborted) break;
    judged += Number(await judgeWait(deps, wait));
  }
  return judged;
}

/** @returns whether its rejected trade has ended */
async function judgeWait(deps: JudgeDeps, wait: WaitRecord): Promise<boolean> {
  const { database, logger, now, abort } = deps;
  const { _id } = wait;
  const rejected = tradeOf(wait);
  if (!rejected) {
    await database.marketAnalyses.updateOne({ _id }, { $unset: { judgeAt: 1 } });
    return false;
  }
  try {
    const resolution = await resolveRejected(deps, rejected);
    if (resolution) {
      await database.marketAnalyses.updateOne(
        { _id },
        { $set: { rejectedResolution: resolution }, $unset: { judgeAt: 1, countedOn: 1 } },
      );
      return true;
    }
  } catch (error) {
    if (abort.aborted) return false;
    logger.debug({ err: error, analysisId: _id }, "rejected trade not resolved this time");
  }
  const ageMs = now().getTime() - rejected.trade.createdAt;
  const isGivenUp = ageMs > GIVE_UP_CANDLES * TIMEFRAME_MS[wait.timeframe];
  const judgeAt = new Date(rejected.trade.createdAt + LATER_LOOK * ageMs);
  await database.marketAnalyses.updateOne(
    { _id },
    isGivenUp ? { $unset: { judgeAt: 1 } } : { $set: { judgeAt } },
  );
  return false;
}

async function resolveRejected(
  { archive, now, abort, tradingCosts }: JudgeDeps,
  { market, trade }: { market: Market; trade: Trade },
) {
  const read = { now: now().getTime(), abort };
  const candles = await archive.since(market, { from: trade.createdAt, ...read });
  return resolveTrade({
    trade,
    candles,
    finer: (candle, timeframe) => archive.parts(market, { candle, timeframe, ...read }),
    now: read.now,
    costs: tradingCosts[instrumentClass(market.symbol)],
  });
}

function tradeOf(wait: WaitRecord): { market: Market; trade: Trade } | null {
  const { symbol, timeframe, finishedAt, candleClosedAt, result, rejectedTrade: rejected } = wait;
  if (!finishedAt || !result || !rejected) return null;
  const { data, provider, price, last_candle_at: lastAt } = result.analysis.source;
  if (data === "none") return null;
  const lastCandleAt = lastAt ? Date.parse(lastAt) : candleClosedAt.getTime();
  return {
    market: { data, provider, symbol, timeframe },
    trade: {
      ...rejected,
      symbol,
      timeframe,
      price: price ?? rejected.entry,
      createdAt: finishedAt.getTime(),
      validUntil: validUntil({ timeframe, lastCandleAt }),
    },
  };
}
