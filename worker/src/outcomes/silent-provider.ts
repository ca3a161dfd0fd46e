import { DAY_MS, HOUR_MS } from "@shared/contract/constants.ts";
import { instrumentClass, type TradingHours } from "@shared/contract/instruments.ts";
import { type Candle, TIMEFRAME_MS } from "@shared/contract/market-data.ts";
import type { Resolution } from "@shared/contract/resolution.ts";
import { bulkUpdate, type Database } from "@shared/database/database.ts";
import { type MarketCandlesRecord, marketKey } from "@shared/database/models/market-analysis.ts";
import { isOpen } from "@shared/domain/trading-hours.ts";
import {
  expireWithoutData,
  holdLimitAt,
  MAX_SILENCE_MS,
  type TradeCourse,
} from "@shared/outcomes/resolve-trade.ts";
import type { Trade } from "@shared/outcomes/simulate-trade.ts";
import type { Types } from "mongoose";
import { openingTime } from "../market-data/candles.ts";
import { ProviderError } from "../market-data/market-data.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import type { CandleArchive, Market, NewestCandles, ReadOptions } from "./candle-archive.ts";
import { commitOutcome, type DecidedTrade } from "./commit-outcome.ts";

export interface PendingTrade extends DecidedTrade {
  analysisId: Types.ObjectId;
  /** With the provider that decides. */
  market: Market;
  trade: Trade;
  /** Key of the stored candles of the provider that the analysis was made from. */
  firstKey: string;
  /** After the candles that were seen at earlier checks. */
  course?: TradeCourse | undefined;
  shownResolution?: Resolution | undefined;
}

export interface DueMarket {
  key: string;
  market: Market;
  trades: PendingTrade[];
}

/** What is stored of a market; null if nothing is. */
export type KeptMarket = MarketCandlesRecord | null;

type SilenceDeps = Pick<WorkerDeps, "database" | "now" | "tradingCosts"> & {
  archive: CandleArchive;
};

/** Whether a candle is due that the provider does not show, while the market is open. */
export function isLate({ timeframe }: Market, { candles, hours }: NewestCandles, now: number) {
  const lengthMs = TIMEFRAME_MS[timeframe];
  const dueCandle = openingTime(now, timeframe) - lengthMs;
  return (candles.at(-1)?.time ?? 0) < dueCandle && isOpenDuring(hours, dueCandle, lengthMs);
}

const isOpenDuring = (hours: TradingHours, from: number, lengthMs: number): boolean =>
  isOpen(hours, from) || isOpen(hours, from + lengthMs - 1);

/** Since when a provider has given no candle that was due, Unix ms. Stored when it is first noticed. */
export async function noteSilence(
  database: Database,
  { key, market }: Pick<DueMarket, "key" | "market">,
  { kept, lastCandleAt, now }: { kept: KeptMarket; lastCandleAt: number; now: number },
): Promise<number> {
  const { silentSince, updatedAt } = kept ?? {};
  const lengthMs = TIMEFRAME_MS[market.timeframe];
  const lastKeptAt = kept?.candles.at(-1)?.time ?? 0;
  const lastClose = Math.max(lastKeptAt, lastCandleAt) + lengthMs;
  // A feed that is always late, by less than a day, is not silent.
  const since = Math.max(silentSince?.getTime() ?? now, lastClose);
  // What is not updated for a month is deleted.
  const isStored = silentSince && updatedAt && now - updatedAt.getTime() < DAY_MS;
  if (!isStored) {
    const at = new Date(now);
    await database.marketCandles.updateOne(
      { _id: key },
      { $min: { silentSince: at }, $set: { updatedAt: at }, $setOnInsert: { candles: [] } },
      { upsert: true },
    );
  }
  return since;
}

export async function endSilence(database: Database, key: string): Promise<void> {
  await database.marketCandles.updateOne({ _id: key }, { $unset: { silentSince: 1 } });
}

/**
 * Trades of a provider that has been silent for too long end as its last candles show, or go on with another one that
 * gives candles. Without any, those end whose hold limit was over as long ago.
 * @returns the trades that ended
 */
export async function decideWithout(
  deps: SilenceDeps,
  { market, trades }: DueMarket,
  options: ReadOptions,
): Promise<PendingTrade[]> {
  const canChange = trades.some(({ providerChange }) => !providerChange);
  const { substitute, waitMs } = canChange
    ? await findSubstitute(deps, market, options)
    : { substitute: null, waitMs: 0 };
  const ended: PendingTrade[] = [];
  const changed: PendingTrade[] = [];
  for (const pending of trades) {
    const goesOn =
      substitute && !pending.providerChange && substitute.shownUntil > knownUntil(pending);
    if (pending.shownResolution) ended.push(pending);
    else if (goesOn) changed.push(pending);
    else if (isOver(pending, options.now - waitMs)) ended.push(pending);
  }
  if (substitute) await changeProvider(deps.database, changed, substitute.provider, options.now);
  for (const pending of ended) await end(deps, pending);
  return ended;
}

/** How long a trade that would end is kept for another provider that fails just then. */
const SUBSTITUTE_WAIT_MS = 3 * HOUR_MS;

/** Another provider that gives candles, or how long to wait for one. */
async function findSubstitute(
  { archive }: SilenceDeps,
  market: Market,
  options: ReadOptions,
): Promise<{ substitute: Substitute | null; waitMs: number }> {
  try {
    return { substitute: await archive.substitute(market, options), waitMs: 0 };
  } catch (error) {
    const waitMs = isOtherFailing(error, market.provider) ? SUBSTITUTE_WAIT_MS : 0;
    return { substitute: null, waitMs };
  }
}

type Substitute = Awaited<ReturnType<CandleArchive["substitute"]>>;

/** Whether another provider may have candles, but does not answer. */
function isOtherFailing(error: unknown, provider: string): boolean {
  if (!(error instanceof ProviderError) || !(error.cause instanceof AggregateError)) return false;
  return error.cause.errors.some(
    (failure: unknown) =>
      failure instanceof ProviderError &&
      failure.provider !== provider &&
      failure.failure !== "unknown-symbol",
  );
}

const knownUntil = ({ course, trade, providerChange }: PendingTrade): number =>
  course?.through ?? providerChange?.at.getTime() ?? openingTime(trade.createdAt, trade.timeframe);

const isOver = ({ trade, course }: PendingTrade, now: number): boolean =>
  now >= holdLimitAt(trade, course) + MAX_SILENCE_MS;

async function changeProvider(
  database: Database,
  trades: readonly PendingTrade[],
  provider: string,
  now: number,
): Promise<void> {
  if (trades.length === 0) return;
  await bulkUpdate(
    database.marketAnalyses,
    trades.map((pending) => ({
      updateOne: {
        filter: {
          _id: pending.analysisId,
          outcome: { $exists: false },
          providerChange: { $exists: false },
        },
        update: {
          $set: {
            providerChange: { provider, at: new Date(knownUntil(pending)) },
            resolveAt: new Date(now),
          },
        },
      },
    })),
  );
}

async function end(deps: SilenceDeps, pending: PendingTrade): Promise<void> {
  const { trade, course, filled, shownResolution } = pending;
  const costs = deps.tradingCosts[instrumentClass(trade.symbol)];
  const resolution = shownResolution ?? expireWithoutData({ trade, course, filled, costs });
  const candles = await candlesSince(deps.database, pending, Date.parse(resolution.resolved_at));
  await commitOutcome(deps, pending, { resolution, candles });
}

/** The stored candles that a trade was followed through, of both providers if it went on with another one. */
export async function candlesSince(
  database: Database,
  { firstKey, market, trade, providerChange }: PendingTrade,
  until: number,
): Promise<Candle[]> {
  const lengthMs = TIMEFRAME_MS[trade.timeframe];
  const changedAt = providerChange?.at.getTime() ?? until;
  const read = async (key: string, [from, to]: [number, number]) => {
    const stored = await database.marketCandles.findById(key).lean();
    return (stored?.candles ?? []).filter(({ time }) => time + lengthMs > from && time < to);
  };
  const first = await read(firstKey, [trade.createdAt, changedAt]);
  const later = providerChange
    ? await read(marketKey(market), [changedAt + lengthMs - 1, until])
    : [];
  return [...first, ...later];
}
