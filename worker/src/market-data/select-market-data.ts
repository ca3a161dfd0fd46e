import { SIGNAL_DEFAULTS } from "@shared/contract/constants.ts";
import { PRODUCT_SYMBOLS } from "@shared/contract/instruments.ts";
import type { MarketDataSource } from "@shared/contract/market-data.ts";
import { symbolSchema } from "@shared/contract/market-data.ts";
import type { Database } from "@shared/database/database.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import type { Settings } from "@shared/runtime/settings.ts";
import { raceAbort } from "../deadline.ts";
import { CandleCache } from "./candle-cache.ts";
import type { CcxtLimits } from "./ccxt/ccxt-market-data.ts";
import type { DerivativesData } from "./derivatives.ts";
import type { GuardLimits, ProviderHealth } from "./fallback-market-data.ts";
import { createFallbackMarketData } from "./fallback-market-data.ts";
import type { LiveProvider, MarketData, PriceStream } from "./market-data.ts";
import { isRateLimit, ProviderError } from "./market-data.ts";
import { createOandaMarketData } from "./oanda/oanda-market-data.ts";
import { abortedByCaller, withProviderDeadline } from "./provider-deadline.ts";
import { ProviderPauses } from "./provider-pauses.ts";
import { createReplayMarketData, REPLAY_SYMBOLS } from "./replay/replay-market-data.ts";
import { createYahooMarketData } from "./yahoo/yahoo-market-data.ts";

/** Replays candles where no provider of that kind of symbol can be reached. The error of a reachable provider stands. */
function liveWithReplayFallback(options: {
  live: MarketData;
  replay: MarketData;
  probe: ReachabilityProbe;
}): MarketData {
  const { live, replay, probe } = options;
  return {
    async candles(request) {
      const isReached = async (probed: Promise<LiveProvider[]>) =>
        coversAny(await untilAborted(probed, request.abort), request.symbol);
      if (!(await isReached(probe.latest()))) return replay.candles(request);
      try {
        return await live.candles(request);
      } catch (error) {
        if (!mayBeUnreachable(error) || (await isReached(probe.run()))) throw error;
        return replay.candles(request);
      }
    },
  };
}

const untilAborted = <Result>(probed: Promise<Result>, abort: AbortSignal): Promise<Result> =>
  raceAbort(probed, abort).catch((error: unknown) => {
    throw abortedByCaller("market data", error);
  });

const mayBeUnreachable = (error: unknown): boolean =>
  error instanceof ProviderError &&
  (error.failure === "unreachable" || error.failure === "timeout");

interface ProbeOptions {
  providers: readonly LiveProvider[];
  timeoutMs: number;
  onChange: (reachable: string[]) => void;
}

/** Probes all providers at once and caches which of them respond. */
class ReachabilityProbe {
  readonly #options: ProbeOptions;
  #running: Promise<LiveProvider[]> | undefined;
  #last: LiveProvider[] | undefined;

  constructor(options: ProbeOptions) {
    this.#options = options;
  }

  /** Whether the last probe reached a provider for this kind of symbol; false before the first has ended. */
  lastReached(symbol: string): boolean {
    return coversAny(this.#last ?? [], symbol);
  }

  /** The providers that the last probe reached, or the first if none has ended yet. */
  async latest(): Promise<LiveProvider[]> {
    return this.#last ?? this.run();
  }

  /** Simultaneous callers share one probe. Never rejects. */
  run(): Promise<LiveProvider[]> {
    this.#running ??= this.#probe().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #probe(): Promise<LiveProvider[]> {
    const { providers, timeoutMs, onChange } = this.#options;
    const answers = await withProviderTime(timeoutMs, (abort) =>
      Promise.all(providers.map((provider) => provider.isReachable(abort))),
    );
    const reachable = providers.filter((_, index) => answers[index]);
    const names = reachable.map(({ name }) => name);
    if (names.join() !== this.#last?.map(({ name }) => name).join()) onChange(names);
    this.#last = reachable;
    return reachable;
  }
}

const coversAny = (providers: readonly LiveProvider[], symbol: string): boolean =>
  providers.some((provider) => provider.covers(symbol));

export interface MarketDataLimits {
  probeTimeoutMs?: number;
  probeIntervalMs?: number;
  ccxt?: CcxtLimits;
  guard?: GuardLimits;
}

const PROBE_TIMEOUT_MS = 3_000;
const PROBE_INTERVAL_MS = 60_000;
const SYMBOLS_TIMEOUT_MS = 5_000;
/** Represents the symbols of exchanges in `auto` mode. */
const TYPICAL_SYMBOL = SIGNAL_DEFAULTS.symbol;

interface MarketDataOptions {
  settings: Pick<Settings, "MARKET_DATA" | "EXCHANGES" | "EXCHANGE_URL" | "EXCHANGE_WS_URL"> &
    Pick<Settings, "OANDA_TOKEN" | "OANDA_URL" | "YAHOO_URL">;
  now: () => number;
  logger: Logger;
  limits?: MarketDataLimits;
  pace?: boolean;
  /** Through which all workers know of rate limits; without it, this process is alone. */
  database?: Database;
}

export interface SymbolListing {
  symbols: string[];
  /** Providers that could not say what they list. */
  missing: string[];
}

export interface MarketDataSelection {
  marketData: MarketData;
  /** Undefined for kinds that the settings exclude. */
  sources: Readonly<Record<MarketDataSource, MarketData | undefined>>;
  /** Source of a signal for the default symbol; others may differ in `auto` mode. */
  currentSource(): MarketDataSource;
  /** Probes the live providers. Await it once at the start; it repeats until `close`. */
  probe(): Promise<void>;
  listedSymbols(): Promise<SymbolListing>;
  /** The stream of the first reachable provider of the symbol; undefined if its price has to be polled. */
  priceStream(symbol: string): Promise<PriceStream | undefined>;
  /** Of live markets. */
  derivatives?: DerivativesData;
  health(): ProviderHealth[];
  close(): void;
}

/**
 * Market data for `MARKET_DATA`: `live`, `replay`, or `auto`: live, and replay where no provider can be reached.
 * @throws SettingsError for an unknown exchange
 */
export async function createMarketData(options: MarketDataOptions): Promise<MarketDataSelection> {
  const { settings, now, logger, limits = {} } = options;
  const mode = settings.MARKET_DATA;
  const replay = new CandleCache({ source: createReplayMarketData({ now }), now });
  if (mode === "replay") return onlyReplay(replay);
  const { providers, derivatives } = await createLiveSources(options);
  const fallback = createFallbackMarketData({ providers, now, logger, limits: limits.guard });
  const live = new CandleCache({ source: fallback, now });
  const probe = new ReachabilityProbe({
    providers,
    timeoutMs: limits.probeTimeoutMs ?? PROBE_TIMEOUT_MS,
    onChange: (reachable) => logger.info({ reachable }, "live market data providers"),
  });
  let timer: NodeJS.Timeout | undefined;
  return {
    marketData: mode === "live" ? live : liveWithReplayFallback({ live, replay, probe }),
    sources: { live, replay },
    derivatives,
    currentSource: () => (mode === "live" || probe.lastReached(TYPICAL_SYMBOL) ? "live" : "replay"),
    probe: async () => {
      timer ??= setInterval(() => probe.run(), limits.probeIntervalMs ?? PROBE_INTERVAL_MS).unref();
      await probe.run();
    },
    listedSymbols: async () => {
      const isLive = mode === "live" || coversAny(await probe.latest(), TYPICAL_SYMBOL);
      if (!isLive) return replayListing();
      return listedBy(providers);
    },
    priceStream: async (symbol) => {
      const candidates = mode === "live" ? providers : await probe.latest();
      return (await firstListing(candidates, symbol))?.prices;
    },
    health: () => fallback.health(),
    close: () => clearInterval(timer),
  };
}

const replayListing = (): SymbolListing => ({ symbols: [...REPLAY_SYMBOLS], missing: [] });

const onlyReplay = (replay: MarketData): MarketDataSelection => ({
  marketData: replay,
  sources: { live: undefined, replay },
  currentSource: () => "replay",
  probe: async () => undefined,
  listedSymbols: async () => replayListing(),
  priceStream: async () => undefined,
  health: () => [],
  close: () => undefined,
});

/** In the order in which they are asked for the symbols that they cover. Add a new provider here. */
async function createLiveSources(
  options: MarketDataOptions,
): Promise<{ providers: LiveProvider[]; derivatives: DerivativesData }> {
  // Takes a second to load; a worker that replays does without.
  const { CcxtMarketData } = await import("./ccxt/ccxt-market-data.ts");
  const { createDerivatives } = await import("./ccxt/ccxt-derivatives.ts");
  const { settings, now, logger, limits, pace, database } = options;
  const { OANDA_TOKEN: token, OANDA_URL, EXCHANGE_URL, EXCHANGE_WS_URL, YAHOO_URL } = settings;
  const addresses = { baseUrl: EXCHANGE_URL, wsUrl: EXCHANGE_WS_URL };
  const pauses = new ProviderPauses({ database, logger });
  const ccxt = { ...addresses, now, limits: limits?.ccxt, logger, pace, pauses };
  const providers = [
    ...(token ? [createOandaMarketData({ now, token, baseUrl: OANDA_URL, pauses })] : []),
    ...settings.EXCHANGES.map((exchangeId) => new CcxtMarketData({ ...ccxt, exchangeId })),
    createYahooMarketData({ now, baseUrl: YAHOO_URL, pauses }),
  ];
  const exchangeIds = settings.EXCHANGES;
  const derivatives = createDerivatives({ exchangeIds, baseUrl: EXCHANGE_URL, now, pauses, pace });
  return { providers, derivatives };
}

async function listedBy(providers: readonly LiveProvider[]): Promise<SymbolListing> {
  const missing: string[] = [];
  const lists = await withProviderTime(SYMBOLS_TIMEOUT_MS, (abort) =>
    Promise.all(
      providers.map((provider) =>
        provider.symbols(abort).catch((error: unknown): string[] => {
          if (mayListMore(error)) missing.push(provider.name);
          return [];
        }),
      ),
    ),
  );
  const askable = lists.flat().filter((symbol) => symbolSchema.safeParse(symbol).data === symbol);
  return { symbols: [...new Set<string>([...PRODUCT_SYMBOLS, ...askable])], missing };
}

/** One that answers with a refusal, as in a restricted country, lists nothing for this worker. */
const mayListMore = (error: unknown): boolean => mayBeUnreachable(error) || isRateLimit(error);

function firstListing(
  providers: readonly LiveProvider[],
  symbol: string,
): Promise<LiveProvider | undefined> {
  return withProviderTime(SYMBOLS_TIMEOUT_MS, async (abort) => {
    for (const provider of providers) {
      if (!provider.covers(symbol)) continue;
      const symbols = await provider.symbols(abort).catch((): string[] => []);
      if (symbols.includes(symbol)) return provider;
    }
    return;
  });
}

/** No caller gives up before. */
const withProviderTime = <Result>(
  timeoutMs: number,
  work: (abort: AbortSignal) => Promise<Result>,
): Promise<Result> => withProviderDeadline(new AbortController().signal, timeoutMs, work);
