import { MAX_MARKET_CANDLES, TIMEFRAME_MS } from "@shared/contract/market-data.ts";
import { ChangeFeed } from "@shared/database/change-feed.ts";
import type {
  CandleRequestRecord,
  CurrentCandlesRecord,
} from "@shared/database/models/market-data.ts";
import { isOpen, nextOpen } from "@shared/domain/trading-hours.ts";
import { Semaphore } from "async-mutex";
import { z } from "zod";
import { raceAbort, withDeadline } from "../deadline.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import { openingTime } from "./candles.ts";
import type { CandleSeries, MarketData } from "./market-data.ts";

/** Shorter than servers wait. */
const FETCH_TIMEOUT_MS = 7_000;
/** Signals have priority. */
const MAX_FETCHES = 8;
/** A request of fewer costs the same, and a late newest candle does not matter in it. */
const NEWEST_CANDLES = 30;
/** Time after which the open candle is fetched again, if someone asks for it. */
const MAX_AGE_MS = { live: 4_000, replay: 1_000, delayed: 30_000, closed: 60_000, failed: 5_000 };

type PublishDeps = Pick<WorkerDeps, "database" | "logger" | "marketData" | "now" | "shutdown">;

const requestSchema = z.object({ _id: z.string() });

/** Stores the candles that servers request, each market once at a time over all workers. */
export function startCandlePublisher(deps: PublishDeps): { stop: () => Promise<void> } {
  const { database, logger } = deps;
  const slots = new Semaphore(MAX_FETCHES);
  const running = new Set<Promise<void>>();
  const answer = (id: string) => {
    const run = slots
      .runExclusive(() => answerRequest(deps, id))
      .catch((error: unknown) => logger.warn({ err: error, id }, "candles not published"))
      .finally(() => running.delete(run));
    running.add(run);
  };
  const answerWaiting = async () => {
    for (const { _id } of await database.candleRequests.find({ takenAt: null }).lean()) answer(_id);
  };
  const feed = new ChangeFeed({
    database,
    logger,
    collection: database.candleRequests.collection.collectionName,
    onWrite: (request) => answer(requestSchema.parse(request)._id),
    onOpen: () =>
      void answerWaiting().catch((error: unknown) =>
        logger.warn({ err: error }, "requests for candles not read"),
      ),
  });
  void feed.start();
  return {
    async stop() {
      await feed.stop();
      await Promise.all(running);
    },
  };
}

async function answerRequest(deps: PublishDeps, _id: string): Promise<void> {
  const { candleRequests, currentCandles } = deps.database;
  const request = await candleRequests
    .findOneAndUpdate({ _id, takenAt: null }, { takenAt: deps.now() })
    .lean();
  if (!request) return;
  const { maxAgeMs, ...current } = await readCurrent(deps, request);
  const freshUntil = { $add: ["$$NOW", maxAgeMs] };
  await currentCandles.updateOne({ _id }, [{ $set: { ...literal(current), freshUntil } }], {
    upsert: true,
    updatePipeline: true,
  });
  await candleRequests.deleteOne({ _id });
}

/** Values that an aggregation must not evaluate. */
const literal = (fields: object) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { $literal: value }]));

type CurrentCandles = Omit<CurrentCandlesRecord, "_id" | "freshUntil"> & { maxAgeMs: number };

async function readCurrent(
  { marketData, logger, now, shutdown }: PublishDeps,
  request: Pick<CandleRequestRecord, "symbol" | "timeframe">,
): Promise<CurrentCandles> {
  try {
    return await withDeadline(shutdown, FETCH_TIMEOUT_MS, async (abort) => {
      const fetching = fetchSeries(marketData, { ...request, abort });
      return describe(await raceAbort(fetching, abort), request, now().getTime());
    });
  } catch (error) {
    const { symbol, timeframe } = request;
    logger.debug({ err: error, symbol, timeframe }, "no candles for a chart");
    const none = { source: "", candles: [], opensAt: null, delayMs: 0, nextCloseAt: now() };
    return { ...none, maxAgeMs: MAX_AGE_MS.failed };
  }
}

/** Long series are read once per candle; the newest candles each time. */
async function fetchSeries(
  marketData: MarketData,
  request: Pick<CandleRequestRecord, "symbol" | "timeframe"> & { abort: AbortSignal },
): Promise<CandleSeries> {
  const series = await marketData.candles({ ...request, limit: MAX_MARKET_CANDLES });
  const newest = await marketData.candles({
    ...request,
    limit: NEWEST_CANDLES,
    withOpen: true,
    prefer: series.provider,
  });
  // Candles of two providers do not fit together.
  if (newest.provider !== series.provider) return series;
  const startsAt = newest.candles[0]?.time ?? Number.POSITIVE_INFINITY;
  const earlier = series.candles.filter(({ time }) => time < startsAt);
  return { ...newest, candles: [...earlier, ...newest.candles] };
}

function describe(
  { provider, data, candles, open, market }: CandleSeries,
  { timeframe }: Pick<CandleRequestRecord, "timeframe">,
  now: number,
): CurrentCandles {
  const { hours, delayMs } = market ?? { hours: "always", delayMs: 0 };
  const isTrading = isOpen(hours, now - delayMs);
  const opensAt = isOpen(hours, now) ? null : nextOpen(hours, now);
  const moving = isTrading && open ? [{ ...open, closed: false }] : [];
  const lengthMs = TIMEFRAME_MS[timeframe];
  const next = opensAt === null ? lastTime(candles) + lengthMs : openingTime(opensAt, timeframe);
  return {
    source: provider,
    candles: [...candles.map((candle) => ({ ...candle, closed: true })), ...moving].slice(
      -MAX_MARKET_CANDLES,
    ),
    opensAt: opensAt === null ? null : new Date(opensAt),
    delayMs,
    nextCloseAt: new Date((moving[0]?.time ?? next) + lengthMs + delayMs),
    maxAgeMs: maxAge(data, { delayMs, isTrading }),
  };
}

const lastTime = (candles: CandleSeries["candles"]): number => candles.at(-1)?.time ?? 0;

function maxAge(
  data: CandleSeries["data"],
  { delayMs, isTrading }: { delayMs: number; isTrading: boolean },
): number {
  if (!isTrading) return MAX_AGE_MS.closed;
  return delayMs > 0 ? MAX_AGE_MS.delayed : MAX_AGE_MS[data];
}
