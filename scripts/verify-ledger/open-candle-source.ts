import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { createLogger } from "@shared/node/logger.ts";
import { loadSettings } from "@shared/node/settings.ts";
import {
  type CandleFile,
  candleFilesSource,
  parseCandleCsv,
  parseCandleFileName,
} from "@shared/outcomes/candle-files.ts";
import type { CandleSource } from "@shared/outcomes/resolve-again.ts";
import { CandleArchive, type Market } from "../../worker/src/outcomes/candle-archive.ts";
import { ProviderError } from "../../worker/src/providers/provider-error.ts";
import { createMarketData } from "../../worker/src/providers/select-market-data.ts";
import { PlainError } from "../lib/plain-error.mjs";
import { resolveTyped } from "../lib/resolve-typed.mjs";
import type { VerifyOrders } from "./read-orders.ts";

/**
 * The candles by which outcomes are resolved again; null if none are asked for.
 * @throws PlainError for a file that cannot be used
 */
export function openCandleSource(
  { candles, fromProvider }: VerifyOrders,
  abort: AbortSignal,
): CandleSource | null {
  if (candles.length > 0) return candleFilesSource(candles.flatMap(readCandleFiles));
  return fromProvider ? providerSource(abort) : null;
}

function readCandleFiles(path: string): CandleFile[] {
  const name = resolveTyped(path);
  const stats = statSync(name, { throwIfNoEntry: false });
  if (!stats) throw new PlainError(`${name} cannot be read.`);
  if (!stats.isDirectory()) return [readCandleFile(name)];
  const files = readdirSync(name).filter((file) => parseCandleFileName(file));
  return files.map((file) => readCandleFile(join(name, file)));
}

function readCandleFile(name: string): CandleFile {
  const market = parseCandleFileName(basename(name));
  if (!market) throw new PlainError(`${name} must be named like BTC-USDT.1h.csv.`);
  try {
    return { ...market, candles: parseCandleCsv(readFileSync(name, "utf8")) };
  } catch (cause) {
    throw new PlainError(`${name} has no candles as time,open,high,low,close,volume.`, { cause });
  }
}

/** The candles of the market data providers, of the one that an analysis was made from where it can be reached. */
function providerSource(abort: AbortSignal): CandleSource {
  const settings = { ...loadSettings(), MARKET_DATA: "live" as const };
  const logger = createLogger({ part: "verify-ledger", level: "silent" });
  const { marketData } = createMarketData({ settings, now: Date.now, logger });
  const archive = new CandleArchive({ live: marketData, replay: undefined });
  return {
    candles: (figures, { from, until }) =>
      nullIfMissing(archive.since(marketOf(figures), { from, now: until, abort }), abort),
    parts(figures, candle, timeframe) {
      const request = { candle, timeframe, now: Number.POSITIVE_INFINITY, abort };
      return nullIfMissing(archive.parts(marketOf(figures), request), abort);
    },
  };
}

/** Demo data has no provider that could be asked. */
function marketOf(figures: Parameters<CandleSource["candles"]>[0]): Market {
  const { data, provider, symbol, timeframe } = figures;
  return { data: data === "none" ? "live" : data, provider, symbol, timeframe };
}

async function nullIfMissing<Found>(
  found: Promise<Found>,
  abort: AbortSignal,
): Promise<Found | null> {
  try {
    return await found;
  } catch (error) {
    abort.throwIfAborted();
    if (error instanceof ProviderError) return null;
    throw error;
  }
}
