import { SIGNAL_DEFAULTS, SYMBOL_SUGGESTIONS } from "@shared/contract/constants.ts";
import { symbolSchema } from "@shared/contract/signal.ts";
import type { MarketDataSource } from "@shared/contract/status.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import type { Settings } from "@shared/runtime/settings.ts";
import { CandleCache } from "./candle-cache.ts";
import { type CcxtLimits, CcxtMarketData } from "./ccxt/ccxt-market-data.ts";
import type { GuardLimits, ProviderHealth } from "./circuit-breaker.ts";
import { createFallbackMarketData } from "./fallback-market-data.ts";
import type { LiveProvider, MarketData } from "./market-data.ts";
import { createOandaMarketData } from "./oanda-market-data.ts";
import { createReplayMarketData, REPLAY_SYMBOLS } from "./replay/replay-market-data.ts";
import { coversAny, liveWithReplayFallback, ReachabilityProbe } from "./replay-fallback.ts";
import { createYahooMarketData } from "./yahoo-market-data.ts";

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

export interface MarketDataOptions {
  settings: Pick<
    Settings,
    "MARKET_DATA" | "EXCHANGES" | "EXCHANGE_URL" | "OANDA_TOKEN" | "OANDA_URL" | "YAHOO_URL"
  >;
  now: () => number;
  logger: Logger;
  limits?: MarketDataLimits;
  pace?: boolean;
}

export interface MarketDataSelection {
  marketData: MarketData;
  /** Undefined for kinds that the settings exclude. */
  sources: Readonly<Record<MarketDataSource, MarketData | undefined>>;
  /** Source of a signal for the default symbol; others may differ in `auto` mode. */
  currentSource(): MarketDataSource;
  /** Probes the live providers. Await it once at the start; it repeats until `close`. */
  probe(): Promise<void>;
  listedSymbols(): Promise<string[]>;
  health(): ProviderHealth[];
  close(): void;
}

/**
 * Market data for `MARKET_DATA`: `live`, `replay`, or `auto`: live, and replay where no provider can be reached.
 * @throws SettingsError for an unknown exchange
 */
export function createMarketData(options: MarketDataOptions): MarketDataSelection {
  const { settings, now, logger, limits = {} } = options;
  const mode = settings.MARKET_DATA;
  const replay = new CandleCache({ source: createReplayMarketData({ now }), now });
  if (mode === "replay") return onlyReplay(replay);
  const providers = createLiveProviders(options);
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
    currentSource: () => (mode === "live" || probe.lastReached(TYPICAL_SYMBOL) ? "live" : "replay"),
    probe: async () => {
      timer ??= setInterval(() => probe.run(), limits.probeIntervalMs ?? PROBE_INTERVAL_MS).unref();
      await probe.run();
    },
    listedSymbols: async () => {
      const isLive = mode === "live" || coversAny(await probe.latest(), TYPICAL_SYMBOL);
      if (!isLive) return [...REPLAY_SYMBOLS];
      return listedBy(providers);
    },
    health: () => fallback.health(),
    close: () => clearInterval(timer),
  };
}

const onlyReplay = (replay: MarketData): MarketDataSelection => ({
  marketData: replay,
  sources: { live: undefined, replay },
  currentSource: () => "replay",
  probe: async () => undefined,
  listedSymbols: async () => [...REPLAY_SYMBOLS],
  health: () => [],
  close: () => undefined,
});

/** In the order in which they are asked for the symbols that they cover. Add a new provider here. */
function createLiveProviders(options: MarketDataOptions): LiveProvider[] {
  const { settings, now, logger, limits, pace } = options;
  const { OANDA_TOKEN: token, OANDA_URL, EXCHANGE_URL, YAHOO_URL } = settings;
  const ccxt = { now, limits: limits?.ccxt, logger, pace, baseUrl: EXCHANGE_URL };
  return [
    ...(token ? [createOandaMarketData({ now, token, baseUrl: OANDA_URL })] : []),
    ...settings.EXCHANGES.map((exchangeId) => new CcxtMarketData({ ...ccxt, exchangeId })),
    createYahooMarketData({ now, baseUrl: YAHOO_URL }),
  ];
}

async function listedBy(providers: readonly LiveProvider[]): Promise<string[]> {
  const abort = AbortSignal.timeout(SYMBOLS_TIMEOUT_MS);
  const lists = await Promise.allSettled(providers.map((provider) => provider.symbols(abort)));
  const listed = lists.flatMap((list) => (list.status === "fulfilled" ? list.value : []));
  const askable = listed.filter((symbol) => symbolSchema.safeParse(symbol).data === symbol);
  return [...new Set<string>([...SYMBOL_SUGGESTIONS, ...askable])];
}
