import { type Candle, TIMEFRAME_MS } from "@shared/contract/candle.ts";
import { instrumentClass } from "@shared/contract/instruments.ts";
import { withDeadline } from "@shared/node/deadline.ts";
import { SIGNAL_COLLECTIONS } from "@shared/node/ledger/number-signals.ts";
import { marketKey } from "@shared/node/models/signal-since.ts";
import type { Market } from "./candle-archive.ts";
import { commitJudgement } from "./commit-judgement.ts";
import { judgeSignal } from "./judge-signal.ts";
import { keepMarketCandles } from "./keep-market-candles.ts";
import type { PendingSignal } from "./pending-signal.ts";
import type { ResolveDeps } from "./resolve-outcomes.ts";
import { nextLook, soon } from "./schedule.ts";

/** One market is read for no longer than this; the others wait. */
const READ_TIMEOUT_MS = 20_000;

/** A signal is judged, waits for later candles, or could not be judged for once. */
type Verdict = "judged" | "waits" | "failed";

/**
 * Judges the due signals of one market, and says when the others are due next. A market that cannot be read is left
 * alone for a while, with all its signals.
 * @returns how many signals were judged
 */
export function judgeMarket(
  deps: ResolveDeps,
  due: { market: Market; signals: readonly PendingSignal[] },
): Promise<number> {
  return withDeadline({ abort: deps.abort, timeoutMs: READ_TIMEOUT_MS }, (abort) =>
    judgeUntil(deps, { ...due, abort }),
  );
}

async function judgeUntil(
  deps: ResolveDeps,
  due: { market: Market; signals: readonly PendingSignal[]; abort: AbortSignal },
): Promise<number> {
  const { market, signals, abort } = due;
  const now = deps.now().getTime();
  const key = marketKey(market);
  const from = Math.min(...signals.map(({ trade }) => trade.createdAt));
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
  const found: Record<Verdict, PendingSignal[]> = { judged: [], waits: [], failed: [] };
  for (const signal of signals) {
    if (deps.abort.aborted) break;
    found[await judgeOne(deps, { signal, candles, now, abort })].push(signal);
  }
  const last = candles.at(-1);
  const lastClose = last ? last.time + TIMEFRAME_MS[market.timeframe] : 0;
  await lookAgain(deps, found.waits, nextLook({ timeframe: market.timeframe, lastClose, now }));
  await lookAgain(deps, found.failed, soon(now));
  return found.judged.length;
}

async function judgeOne(
  deps: ResolveDeps,
  look: { signal: PendingSignal; candles: Candle[]; now: number; abort: AbortSignal },
): Promise<Verdict> {
  const { signal, now, abort } = look;
  const { market, trade } = signal;
  const lengthMs = TIMEFRAME_MS[trade.timeframe];
  const candles = look.candles.filter(({ time }) => time + lengthMs > trade.createdAt);
  try {
    const judgement = await judgeSignal({
      trade,
      candles,
      finer: (candle, timeframe) => deps.archive.parts(market, { candle, timeframe, now, abort }),
      now,
      costs: deps.tradingCosts[instrumentClass(market.symbol)],
    });
    if (!judgement) return "waits";
    const resolvedAt = Date.parse(judgement.resolved_at);
    const seen = candles.filter(({ time }) => time < resolvedAt);
    await commitJudgement(deps, signal, { judgement, candles: seen });
    return "judged";
  } catch (error) {
    const { id } = signal;
    deps.logger.warn({ err: error, signalId: id.toString() }, "signal not judged this time");
    return "failed";
  }
}

async function lookAgain(
  { database }: ResolveDeps,
  signals: readonly PendingSignal[],
  at: number,
): Promise<void> {
  for (const collection of SIGNAL_COLLECTIONS) {
    const ids = signals.filter(({ from }) => from === collection).map(({ id }) => id);
    if (ids.length === 0) continue;
    await database[collection].collection.updateMany(
      { _id: { $in: ids }, outcome: { $exists: false } },
      { $set: { judgeAt: new Date(at) } },
    );
  }
}

/** Nothing of the market is tried again before `until`, the signals of other batches included. */
async function leaveAlone(
  { database, logger, now }: ResolveDeps,
  { market, until, error }: { market: Market; until: number; error: unknown },
): Promise<void> {
  const { data, provider, symbol, timeframe } = market;
  logger.warn({ err: error, symbol, timeframe }, "market not read, its signals wait");
  const due = {
    judgeAt: { $lte: now() },
    outcome: { $exists: false },
    symbol,
    timeframe,
    "analysis.source.data": data,
    "analysis.source.provider": provider,
  };
  for (const collection of SIGNAL_COLLECTIONS) {
    await database[collection].collection.updateMany(due, {
      $set: { judgeAt: new Date(until) },
    });
  }
}
