import { openAsBlob, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { LedgerBytes } from "@shared/contract/ledger-verifier.ts";
import {
  type CandleFile,
  candleFilesSource,
  parseCandleCsv,
  parseCandleFileName,
} from "@shared/outcomes/candle-files.ts";
import type { CandleSource } from "@shared/outcomes/resolve-again.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { loadWorkerSettings } from "@shared/runtime/settings.ts";
import { ProviderError } from "../../worker/src/market-data/market-data.ts";
import { createMarketData } from "../../worker/src/market-data/select-market-data.ts";
import { CandleArchive, type Market } from "../../worker/src/outcomes/candle-archive.ts";
import { CliError, resolveTyped } from "../lib/cli.ts";

const DOWNLOAD_PATH = "/ledger/download";

/** Opens a downloaded ledger, or that of an API at a URL. */
export async function openLedger(source: string, signal: AbortSignal): Promise<LedgerBytes> {
  return /^https?:\/\//.test(source) ? download(source, signal) : openFile(source);
}

async function download(address: string, signal: AbortSignal): Promise<LedgerBytes> {
  const url = new URL(address);
  if (url.pathname === "/") url.pathname = DOWNLOAD_PATH;
  const response = await fetch(url, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new CliError(`${url} does not answer.`, { cause: error });
  });
  if (response.ok && response.body) return response.body;
  throw new CliError(`${url} was answered with ${response.status}.`);
}

async function openFile(name: string): Promise<LedgerBytes> {
  const file = resolveTyped(name);
  try {
    return (await openAsBlob(file)).stream();
  } catch (cause) {
    throw new CliError(`${file} cannot be read.`, { cause });
  }
}

/** Candles of CSV files or folders of them, or of the market data providers. Null if neither is named. */
export async function openCandleSource(
  abort: AbortSignal,
  candles: readonly string[] = [],
  fromProvider = false,
): Promise<CandleSource | null> {
  if (candles.length > 0) return candleFilesSource(candles.flatMap(readCandleFiles));
  return fromProvider ? providerSource(abort) : null;
}

function readCandleFiles(path: string): CandleFile[] {
  const name = resolveTyped(path);
  const stats = statSync(name, { throwIfNoEntry: false });
  if (!stats) throw new CliError(`${name} cannot be read.`);
  if (!stats.isDirectory()) return [readCandleFile(name)];
  const files = readdirSync(name).filter((file) => parseCandleFileName(file));
  return files.map((file) => readCandleFile(join(name, file)));
}

function readCandleFile(name: string): CandleFile {
  const market = parseCandleFileName(basename(name));
  if (!market) throw new CliError(`${name} must be named like BTC-USDT.1h.csv.`);
  try {
    return { ...market, candles: parseCandleCsv(readFileSync(name, "utf8")) };
  } catch (cause) {
    throw new CliError(`${name} has no candles as time,open,high,low,close,volume.`, { cause });
  }
}

/** Candles of the market data providers, preferably of the one that an analysis was made from. */
async function providerSource(abort: AbortSignal): Promise<CandleSource> {
  const settings = { ...loadWorkerSettings(), MARKET_DATA: "live" as const };
  const logger = createLogger({ service: "verify-ledger", level: "silent" });
  const { marketData } = await createMarketData({ settings, now: Date.now, logger });
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
