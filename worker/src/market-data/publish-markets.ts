import { setTimeout } from "node:timers/promises";
import { PRODUCT_SYMBOLS } from "@shared/contract/instruments.ts";
import { TIMEFRAME_MS } from "@shared/contract/market-data.ts";
import { MAX_MARKET_CLOSES } from "@shared/contract/markets.ts";
import {
  MARKET_SNAPSHOT_ID,
  type MarketQuoteRecord,
} from "@shared/database/models/worker-reports.ts";
import { repeat } from "@shared/runtime/repeat.ts";
import { withDeadline } from "../deadline.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import type { CandleSeries } from "./market-data.ts";
import type { SymbolListing } from "./select-market-data.ts";

const TIMEFRAME = "1h";
/** The change is measured from the close before the first. */
const CANDLES = MAX_MARKET_CLOSES + 1;
const SYMBOL_TIMEOUT_MS = 10_000;
/** Signals have priority, so prices are refreshed one by one with pauses. */
const PAUSE_MS = 250;
/** How long an old price is kept while no new one can be read. */
const KEEP_MS = 6 * 60 * 60_000;

type PublishMarketsDeps = Pick<WorkerDeps, "database" | "logger" | "marketData" | "now"> & {
  abort: AbortSignal;
  pauseMs?: number;
};

/**
 * Stores the prices of the product's own symbols for the servers.
 * @returns symbols that could not be read
 */
export async function publishMarkets(deps: PublishMarketsDeps): Promise<string[]> {
  const { database, now, abort } = deps;
  const quotes = await keptQuotes(deps);
  const failed: string[] = [];
  for (const symbol of PRODUCT_SYMBOLS) {
    // Users of a new product wait for its first prices.
    if (quotes.has(symbol)) await setTimeout(deps.pauseMs ?? PAUSE_MS);
    const quote = await readQuote(deps, symbol);
    if (abort.aborted) return failed;
    if (quote) quotes.set(symbol, quote);
    else failed.push(symbol);
  }
  const known = PRODUCT_SYMBOLS.flatMap((symbol) => quotes.get(symbol) ?? []);
  await database.marketSnapshots.updateOne(
    { _id: MARKET_SNAPSHOT_ID },
    { $set: { quotes: known, updatedAt: now() } },
    { upsert: true },
  );
  return failed;
}

async function keptQuotes(deps: PublishMarketsDeps): Promise<Map<string, MarketQuoteRecord>> {
  const snapshot = await deps.database.marketSnapshots.findById(MARKET_SNAPSHOT_ID).lean();
  const oldest = deps.now().getTime() - KEEP_MS;
  const kept = snapshot?.quotes.filter(({ asOf }) => asOf.getTime() >= oldest) ?? [];
  return new Map(kept.map((quote) => [quote.symbol, quote]));
}

async function readQuote(
  { marketData, logger, abort }: PublishMarketsDeps,
  symbol: string,
): Promise<MarketQuoteRecord | null> {
  try {
    const request = { symbol, timeframe: TIMEFRAME, limit: CANDLES } as const;
    const series = await withDeadline(abort, SYMBOL_TIMEOUT_MS, (inTime) =>
      marketData.candles({ ...request, abort: inTime }),
    );
    return quoteOf(symbol, series);
  } catch (error) {
    logger.debug({ err: error, symbol }, "could not read a price");
    return null;
  }
}

function quoteOf(
  symbol: string,
  { candles, data, market }: CandleSeries,
): MarketQuoteRecord | null {
  const [base, ...later] = candles.slice(-CANDLES);
  const last = later.at(-1);
  if (!base || !last) return null;
  return {
    symbol,
    price: last.close,
    changePercent: (last.close / base.close - 1) * 100,
    high: Math.max(...later.map((candle) => candle.high)),
    low: Math.min(...later.map((candle) => candle.low)),
    closes: later.map((candle) => candle.close),
    data,
    hours: market?.hours ?? "always",
    asOf: new Date(last.time + TIMEFRAME_MS[TIMEFRAME]),
  };
}

const REFRESH_INTERVAL_MS = 60 * 60_000;
/** Users wait for a symbol of a provider that could not be read. */
const RETRY_MS = 5_000;
/** A provider that cannot be read for so long after the start has no markets to offer. */
const MISSING_TIMEOUT_MS = 5 * 60_000;

/** Stores the listed symbols for the servers, and refreshes them. */
export function startListingPublisher(
  { database, logger }: Pick<WorkerDeps, "database" | "logger">,
  listedSymbols: () => Promise<SymbolListing>,
): { stop: () => void } {
  const startedAtMs = performance.now();
  return repeat({
    async work() {
      const { symbols, missing } = await listedSymbols();
      const isPartial = missing.length > 0 && performance.now() - startedAtMs < MISSING_TIMEOUT_MS;
      await storeListing(database, { symbols, missing: isPartial ? missing : [] });
      if (isPartial) throw new Error(`No list of markets yet from ${missing.join(", ")}.`);
    },
    intervalMs: REFRESH_INTERVAL_MS,
    retryMs: RETRY_MS,
    onError: (error) => logger.warn({ err: error }, "could not publish the list of symbols"),
  });
}

/** A partial list adds to the former one, which stays complete if it was. */
async function storeListing(
  { marketListings }: WorkerDeps["database"],
  { symbols, missing }: SymbolListing,
): Promise<void> {
  const isFormerComplete = { $and: [{ $isArray: "$symbols" }, { $eq: [known("$missing"), []] }] };
  const partial = {
    symbols: { $setUnion: [known("$symbols"), { $literal: symbols }] },
    missing: { $cond: [isFormerComplete, [], { $literal: missing }] },
  };
  const listing = missing.length > 0 ? partial : { symbols: { $literal: symbols }, missing };
  await marketListings.updateOne(
    { _id: "symbols" },
    [{ $set: { ...listing, updatedAt: "$$NOW" } }],
    { upsert: true, updatePipeline: true },
  );
}

const known = (field: string) => ({ $ifNull: [field, []] });
