import { MINUTE_MS, TIMEFRAMES } from "@shared/contract/constants.ts";
import {
  type MarketDataSource,
  TIMEFRAME_MS,
  type Timeframe,
} from "@shared/contract/market-data.ts";
import { readTime } from "@shared/database/database.ts";
import { benchWork } from "@shared/domain/bench-work.ts";
import { lastCandleClose } from "@shared/domain/queue-analysis.ts";
import { isOpenClose, readTradingHours } from "@shared/domain/trading-hours.ts";
import { commit } from "@shared/outbox/commit.ts";
import { doubling, repeatedly, type WorkHandler } from "@shared/work/work-handler.ts";
import { addWork } from "@shared/work/work-item.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import type { AnalystBench, BenchMarket } from "./arms.ts";
import { reportBench } from "./report-setup.ts";

type ScheduleDeps = Pick<WorkerDeps, "database" | "logger"> & {
  bench: AnalystBench;
  /** Whether candles are live or replayed, which may change. */
  currentSource: () => MarketDataSource;
};

/** By then, exchanges have the candle, and most analyses that users wait for have started. */
const FIRST_DUE_MS = 3_000;

/** The items of one close are spread over this part of the candle, as they are heavy together. */
const SPREAD = { share: 0.05, maxMs: 60_000 } as const;

/** The work of queueing the analyses of the bench, at the close of each candle. */
export const schedulingBench = (deps: ScheduleDeps): WorkHandler =>
  repeatedly(deps, {
    kind: "schedule-bench",
    retryDelayMs: doubling({ first: 1_000, max: 5_000 }),
    run: async () => scheduleBench(deps, await readTime(deps.database)),
  });

/**
 * Queues the analyses of the newest closed candles, once over all workers. After downtime, older ones are left out.
 * @param at by the clock of the database
 * @returns when the next run is
 */
export async function scheduleBench(deps: ScheduleDeps, at: Date): Promise<Date> {
  await reportBench(deps, { ...deps.bench, isDemo: false, data: deps.currentSource() });
  for (const timeframe of TIMEFRAMES) {
    const markets = deps.bench.markets.filter((market) => market.timeframe === timeframe);
    if (markets.length > 0) await planClose(deps, { timeframe, markets, at });
  }
  return new Date(lastCandleClose("1m", at).getTime() + MINUTE_MS);
}

async function planClose(
  { database }: ScheduleDeps,
  close: { timeframe: Timeframe; markets: readonly BenchMarket[]; at: Date },
): Promise<void> {
  const { timeframe, at } = close;
  const closedAt = lastCandleClose(timeframe, at);
  const schedule = await database.benchSchedules.findById(timeframe).lean();
  if (!schedule) {
    const first = { $setOnInsert: { plannedUntil: new Date(0) } };
    await database.benchSchedules.updateOne({ _id: timeframe }, first, { upsert: true });
  }
  const plannedUntil = schedule?.plannedUntil ?? new Date(0);
  if (plannedUntil >= closedAt) return;
  const hoursOf = await readTradingHours(database);
  const closesAt = closedAt.getTime();
  const open = close.markets.filter(({ symbol }) =>
    isOpenClose(hoursOf(symbol), { timeframe, closesAt }),
  );
  await commit(database, { lockKeys: `bench:${timeframe}`, now: () => at }, async (uow) => {
    // Conflicts with the same plan of another worker.
    const { modifiedCount } = await database.benchSchedules.updateOne(
      { _id: timeframe, plannedUntil },
      { $set: { plannedUntil: closedAt } },
      { session: uow.session },
    );
    if (modifiedCount === 0 || isTooLateForBench({ timeframe, closedAt }, at)) return;
    for (const [index, { symbol }] of open.entries()) {
      const data = { symbol, timeframe, closedAt: closedAt.toISOString() };
      addWork(
        database,
        uow,
        benchWork(data, { dueAt: dueAtOf({ timeframe, closedAt }, index / open.length) }),
      );
    }
  });
}

function dueAtOf(
  { timeframe, closedAt }: { timeframe: Timeframe; closedAt: Date },
  share: number,
): Date {
  const spreadMs = Math.min(SPREAD.share * TIMEFRAME_MS[timeframe], SPREAD.maxMs);
  return new Date(closedAt.getTime() + FIRST_DUE_MS + share * spreadMs);
}

/** Whether so much of the next candle is over that the arms would judge something else. */
export const isTooLateForBench = (
  { timeframe, closedAt }: { timeframe: Timeframe; closedAt: Date },
  at: Date,
): boolean =>
  at.getTime() - closedAt.getTime() >= Math.max(TIMEFRAME_MS[timeframe] / 2, MIN_TIME_MS);

const MIN_TIME_MS = 50_000;
