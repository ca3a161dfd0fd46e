import { MINUTE_MS } from "@shared/contract/constants.ts";
import { instrumentClass } from "@shared/contract/instruments.ts";
import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { bulkUpdate, type Database } from "@shared/database/database.ts";
import { type MarketAnalysisRecord, marketKey } from "@shared/database/models/market-analysis.ts";
import {
  type Fill,
  followTrade,
  isMarketEntry,
  MAX_SILENCE_MS,
  type TradeCourse,
} from "@shared/outcomes/resolve-trade.ts";
import { type Trade, tradeOfFigures } from "@shared/outcomes/simulate-trade.ts";
import { WorkerStoppingError } from "@shared/work/work-handler.ts";
import { Semaphore } from "async-mutex";
import { withDeadline } from "../deadline.ts";
import { figuresOf } from "../record/append-records.ts";
import { batchesStop } from "../signals/fan-out.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import {
  type CandleArchive,
  type KnownCandles,
  LateCandlesError,
  type NewestCandles,
  type ReadOptions,
} from "./candle-archive.ts";
import { CONFIRM_GAP_MS } from "./candle-gaps.ts";
import {
  commitFill,
  commitOutcome,
  finishOutcome,
  RECHECK_MS,
  shareFill,
} from "./commit-outcome.ts";
import {
  candlesSince,
  type DueMarket,
  decideWithout,
  endSilence,
  isLate,
  type KeptMarket,
  noteSilence,
  type PendingTrade,
} from "./silent-provider.ts";

const BATCH_SIZE = 500;
const MARKETS_AT_A_TIME = 6;

type ResolveDeps = Pick<WorkerDeps, "database" | "logger" | "now" | "tradingCosts"> & {
  archive: CandleArchive;
  backoff: MarketBackoff;
  abort: AbortSignal;
  /** False if no one looks at the candles of the trades. */
  keepsCandles?: boolean;
};

/**
 * Resolves all due trades of the ledger, market by market, and publishes fills. Trades that stay open get the time of
 * their next check, so a run can end anywhere.
 * @returns the number of resolved trades
 */
export async function resolveOutcomes(deps: ResolveDeps): Promise<number> {
  const until = deps.now();
  let resolved = 0;
  while (mayContinue(deps)) {
    const due = await findDue(deps.database, until);
    if (due.length === 0) break;
    const trades: PendingTrade[] = [];
    for (const analysis of due) {
      const trade = analysis.resolution ? null : pendingTrade(analysis);
      if (trade) trades.push(trade);
      else await finishOutcome(deps, analysis).catch(unlessStopping);
    }
    resolved += await resolveByMarket(deps, trades);
  }
  return resolved;
}

const mayContinue = ({ abort, database }: ResolveDeps): boolean =>
  !abort.aborted && !batchesStop(database);

function unlessStopping(error: unknown): void {
  if (!(error instanceof WorkerStoppingError)) throw error;
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
        withDeadline(deps.abort, READ_TIMEOUT_MS, (abort) =>
          deps.abort.aborted ? Promise.resolve(0) : resolveMarket(deps, due, abort),
        ),
      ),
    ),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

const READ_TIMEOUT_MS = 20_000;

async function resolveMarket(
  deps: ResolveDeps,
  due: DueMarket,
  abort: AbortSignal,
): Promise<number> {
  const { key, market } = due;
  const options = { now: deps.now().getTime(), abort };
  const kept = await deps.database.marketCandles.findById(key).lean();
  let newest: NewestCandles;
  try {
    newest = await deps.archive.newest(market, options);
  } catch (error) {
    if (deps.abort.aborted) return 0;
    const { symbol, timeframe } = market;
    deps.logger.warn({ err: error, symbol, timeframe }, "market not read, its trades wait");
    await postpone(deps, due, deps.backoff.failed(key, options.now));
    return leaveSilent(deps, due, { ...options, kept });
  }
  deps.backoff.succeeded(key);
  const check = { newest, kept, ...options };
  const { open, resolved } = await resolveTrades(deps, due, check);
  const isSilent = market.data === "live" && isLate(market, newest, options.now);
  if (isSilent) return resolved + (await leaveSilent(deps, { ...due, trades: open }, check));
  if (kept?.silentSince) await endSilence(deps.database, key);
  return resolved;
}

/** @returns how many trades ended because their market has no candles any more */
async function leaveSilent(
  deps: ResolveDeps,
  due: DueMarket,
  { kept, newest, ...options }: ReadOptions & { kept: KeptMarket; newest?: NewestCandles },
): Promise<number> {
  if (due.market.data !== "live") return 0;
  const { database, logger } = deps;
  const { now } = options;
  const lastCandleAt = newest?.candles.at(-1)?.time ?? 0;
  const since = await noteSilence(database, due, { kept, lastCandleAt, now });
  if (now - since < MAX_SILENCE_MS) return 0;
  const { provider, symbol } = due.market;
  logger.warn({ provider, symbol, since: new Date(since) }, "no candles for a day");
  return (await decideWithout(deps, due, options)).length;
}

type MarketCheck = ReadOptions & { newest: NewestCandles; kept: KeptMarket };

/** Checks each trade by the candles since it was made. One that cannot be checked delays no other. */
async function resolveTrades(
  deps: ResolveDeps,
  { key, market, trades }: DueMarket,
  { newest, kept, ...options }: MarketCheck,
): Promise<{ open: PendingTrade[]; resolved: number }> {
  const open: PendingTrade[] = [];
  const checks: NextCheck[] = [];
  const seen: Candle[] = [];
  for (const pending of trades) {
    if (deps.abort.aborted) break;
    try {
      const from = pending.providerChange?.at.getTime() ?? pending.trade.createdAt;
      const known = await deps.archive.known(market, newest, { ...options, from });
      seen.push(...(known.candles.length > seen.length ? known.candles : []));
      const check = await resolveOne(deps, { pending, ...known, ...options });
      if (!check) continue;
      checks.push(check);
      open.push({ ...pending, ...followed(check) });
    } catch (error) {
      checks.push(postponed(deps, pending, error, options.now));
      open.push(pending);
    }
  }
  await keepMarketCandles(deps, key, kept, seen);
  await checkAgain(deps, checks);
  return { open, resolved: trades.length - checks.length };
}

const MAX_TRADE_BACKOFF_MS = 60_000;

interface NextCheck extends Pick<PendingTrade, "course" | "shownResolution"> {
  pending: PendingTrade;
  at: number;
}

/** What is known of a trade now; nothing new if it could not be followed. */
const followed = ({ course, shownResolution }: NextCheck) =>
  course || shownResolution ? { course, shownResolution } : {};

function postponed(
  { backoff, logger }: ResolveDeps,
  pending: PendingTrade,
  error: unknown,
  now: number,
): NextCheck {
  // Another worker continues at once.
  if (error instanceof WorkerStoppingError) return { pending, at: now };
  const { analysisId } = pending;
  logger.warn({ err: error, analysisId }, "trade not resolved this time");
  const at = backoff.failed(String(analysisId), now);
  return { pending, at: Math.min(at, now + MAX_TRADE_BACKOFF_MS) };
}

type TradeCheck = ReadOptions & KnownCandles & { pending: PendingTrade };

/** @returns when to check it again; null if it is resolved */
async function resolveOne(deps: ResolveDeps, check: TradeCheck): Promise<NextCheck | null> {
  const { now, abort, pending, candles } = check;
  const { market, trade, filled, providerChange, course: start } = pending;
  const late: LateCandlesError[] = [];
  const { fill, resolution, ...followed } = await followTrade({
    trade,
    candles,
    filled,
    ...(providerChange && { start }),
    finer: (candle, timeframe) =>
      deps.archive.parts(market, { candle, timeframe, now, abort }).catch((error: unknown) => {
        if (!(error instanceof LateCandlesError) || !error.shown) throw error;
        late.push(error);
        return error.shown.parts;
      }),
    now,
    costs: deps.tradingCosts[instrumentClass(market.symbol)],
  });
  const course = unlessBehind(pending, followed.course);
  const [error] = late;
  if (error) {
    const next = postponed(deps, pending, error, now);
    if (resolution) return { ...next, shownResolution: resolution };
    // After a change of the provider, a stored course is where the next check goes on.
    return course && !providerChange ? { ...next, course } : next;
  }
  deps.backoff.succeeded(String(pending.analysisId));
  if (resolution) {
    const resolvedAt = Date.parse(resolution.resolved_at);
    const seen = candles.filter(({ time }) => time < resolvedAt);
    const earlier = providerChange
      ? await candlesSince(deps.database, pending, providerChange.at.getTime())
      : [];
    await commitOutcome(deps, pending, { resolution, candles: [...earlier, ...seen] });
    return null;
  }
  const nextClose = nextCheckAt({ timeframe: trade.timeframe, ...check });
  const at = Math.min(nextClose, (await publishFill(deps, check, fill)) ?? nextClose);
  return { pending, at, course };
}

/** A course that ends before what an earlier check has seen is not kept: a worker that has just started knows less. */
function unlessBehind(
  { course: known, shownResolution }: PendingTrade,
  course: TradeCourse | null,
): TradeCourse | undefined {
  const shownUntil = shownResolution ? Date.parse(shownResolution.resolved_at) : 0;
  const seenUntil = Math.max(known?.through ?? 0, shownUntil);
  return course && (course.through ?? 0) >= seenUntil ? course : undefined;
}

/** @returns when to check again for its fill, or for signals without it, if that is before the next close */
async function publishFill(
  deps: ResolveDeps,
  { pending, now, abort }: TradeCheck,
  fill: Fill | null,
): Promise<number | null> {
  const { analysisId, filled } = pending;
  if (filled) {
    await shareFill(deps.database, analysisId, filled);
    return null;
  }
  const found = fill ?? (await marketFill(deps, { pending, now, abort }));
  if (!found) return marketFillAt(pending.trade, now);
  await commitFill(deps, analysisId, found);
  return now + RECHECK_MS;
}

/** If no minute of this time is known, the fill is found when the candle closes. */
const FIRST_MINUTES_MS = 10 * MINUTE_MS;

/** The first minutes of an entry at the market, within the candle of the signal. */
function firstMinutes(trade: Trade): { from: number; until: number } | null {
  const lengthMs = TIMEFRAME_MS[trade.timeframe];
  const from = Math.ceil(trade.createdAt / MINUTE_MS) * MINUTE_MS;
  const until = Math.min(from + FIRST_MINUTES_MS, Math.ceil(from / lengthMs) * lengthMs);
  return isMarketEntry(trade) && from < until ? { from, until } : null;
}

/**
 * The fill of an entry at the market, by the first minute after the signal: no user should have to wait for the close of
 * a long candle, which is then resolved by the same minutes.
 */
async function marketFill(
  { archive, logger, tradingCosts }: ResolveDeps,
  { pending, now, abort }: ReadOptions & Pick<TradeCheck, "pending">,
): Promise<Fill | null> {
  const { market, trade, analysisId, providerChange } = pending;
  const first = firstMinutes(trade);
  // Those of another provider count later only.
  if (!first || now < first.from + MINUTE_MS || providerChange) return null;
  try {
    const until = Math.min(now, first.until);
    const candles = await archive.minutes(market, { from: first.from, until, now, abort });
    // Without the first one, its open is not known yet.
    if (candles[0]?.time !== first.from) return null;
    const { fill } = await followTrade({
      trade: { ...trade, timeframe: "1m" },
      candles,
      now,
      finer: async () => null,
      costs: tradingCosts[instrumentClass(market.symbol)],
    });
    return fill;
  } catch (error) {
    logger.debug({ err: error, analysisId }, "no minutes for a fill yet");
    return null;
  }
}

function marketFillAt(trade: Trade, now: number): number | null {
  const first = firstMinutes(trade);
  if (!first || now >= first.until) return null;
  const closesAt = first.from + MINUTE_MS;
  return now < closesAt ? closesAt + SETTLE_MS : now + LATE_MS.min;
}

async function checkAgain({ database }: ResolveDeps, checks: readonly NextCheck[]): Promise<void> {
  if (checks.length === 0) return;
  await bulkUpdate(
    database.marketAnalyses,
    checks.map((check) => ({
      updateOne: {
        filter: { _id: check.pending.analysisId, outcome: { $exists: false } },
        update: nextCheckUpdate(check),
      },
    })),
  );
}

function nextCheckUpdate({ pending, at, course, shownResolution }: NextCheck) {
  const isKept = pending.market.data === "live";
  return {
    $set: {
      resolveAt: new Date(at),
      ...(isKept && course && { course }),
      ...(isKept && shownResolution && { shownResolution }),
    },
    ...(course && { $unset: { shownResolution: 1 as const } }),
  };
}

/** Those that are still due. */
async function postpone(
  { database, now }: ResolveDeps,
  { trades }: DueMarket,
  until: number,
): Promise<void> {
  const due = {
    _id: { $in: trades.map(({ analysisId }) => analysisId) },
    resolveAt: { $lte: now() },
    outcome: { $exists: false },
  };
  await database.marketAnalyses.updateMany(due, { $set: { resolveAt: new Date(until) } });
}

function pendingTrade(analysis: DueAnalysis): PendingTrade | null {
  const figures = figuresOf(analysis);
  const { data, symbol, timeframe } = figures;
  const trade = tradeOfFigures(figures);
  if (!trade || data === "none") return null;
  const { _id: analysisId, filled, course, shownResolution, providerChange } = analysis;
  const first = { data, provider: figures.provider, symbol, timeframe };
  const market = { ...first, provider: providerChange?.provider ?? first.provider };
  const firstKey = marketKey(first);
  const known = { filled, course, shownResolution, providerChange };
  return { analysisId, market, trade, firstKey, ...known };
}

const MAX_CANDLES = 600;

async function keepMarketCandles(
  { database, now }: ResolveDeps,
  key: string,
  kept: KeptMarket,
  candles: readonly Candle[],
): Promise<void> {
  const newest = candles.at(-1);
  if (!newest) return;
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

/** Next check in Unix milliseconds, after the next close, or before it if the newest candle is late. */
function nextCheckAt(at: {
  timeframe: Timeframe;
  candles: Candle[];
  isCut: boolean;
  now: number;
}): number {
  const { timeframe, candles, isCut, now } = at;
  if (isCut) return now + CONFIRM_GAP_MS;
  const lengthMs = TIMEFRAME_MS[timeframe];
  const lastClose = (candles.at(-1)?.time ?? -lengthMs) + lengthMs;
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
