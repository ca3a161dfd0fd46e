import { SIGNAL_DEFAULTS, SYMBOL_SUGGESTIONS } from "@shared/contract/constants.ts";
import { symbolSchema } from "@shared/contract/signal.ts";
import type { MarketDataSource } from "@shared/contract/status.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import type { Settings } from "@shared/runtime/settings.ts";
import { CandleCache } from "./candle-cache.ts";
import type { GuardLimits, ProviderHealth } from "./circuit-breaker.ts";
import { createFallbackMarketData } from "./fallback-market-data.ts";
import {
  createLiveProviders,
  type LiveLimits,
  type LiveSettings,
  LiveWithReplayFallback,
  ReachabilityProbe,
} from "./live.ts";
import type { LiveProvider, MarketData } from "./market-data.ts";
import { createReplayMarketData, REPLAY_SYMBOLS } from "./replay/replay-market-data.ts";

/** Time limits in milliseconds; what is left out keeps its default. */
export interface MarketDataLimits extends LiveLimits {
  probeTimeoutMs?: number;
  probeIntervalMs?: number;
  symbolsTimeoutMs?: number;
  guard?: GuardLimits;
}

const PROBE_TIMEOUT_MS = 3_000;
const PROBE_INTERVAL_MS = 60_000;
const SYMBOLS_TIMEOUT_MS = 5_000;
/** Stands for all that is listed by exchanges, whose symbols are beyond the product's own. */
const TYPICAL_SYMBOL = SIGNAL_DEFAULTS.symbol;

export interface MarketDataOptions {
  settings: LiveSettings & Pick<Settings, "MARKET_DATA">;
  now: () => number;
  logger: Logger;
  limits?: MarketDataLimits;
  /** Keep to the exchanges' request rates by waiting; on by default. */
  pace?: boolean;
}

/** The market data that the settings ask for. */
export interface MarketDataSelection {
  marketData: MarketData;
  /** The candles of one kind only, whichever is current; undefined where the settings rule that kind out. */
  sources: Readonly<Record<MarketDataSource, MarketData | undefined>>;
  /**
   * What a signal asked for now would be made from. Kinds of markets may differ in `auto`, as each needs a provider of
   * its own; this tells it of the symbol that is asked for unless another one is chosen.
   */
  currentSource(): MarketDataSource;
  /**
   * Finds out whether live providers can be reached. Await it once at the start; it repeats by
   * itself until `close`.
   */
  probe(): Promise<void>;
  /** Symbols that a signal can be asked for: those listed now, and the product's own. */
  listedSymbols(): Promise<string[]>;
  /** How each live provider has been doing. */
  health(): ProviderHealth[];
  close(): void;
}

/**
 * Composes the market data of `MARKET_DATA`: `live`, `replay`, or `auto`, which is live, and replay
 * where no provider of that kind of market can be reached.
 * @throws SettingsError when `EXCHANGES` names an exchange that does not exist
 */
export function createMarketData(options: MarketDataOptions): MarketDataSelection {
  const { now } = options;
  const replay = new CandleCache({ source: createReplayMarketData({ now }), now });
  return options.settings.MARKET_DATA === "replay"
    ? replayOnly(replay)
    : withLiveProviders(options, replay);
}

function replayOnly(replay: MarketData): MarketDataSelection {
  return {
    marketData: replay,
    sources: { live: undefined, replay },
    currentSource: () => "replay",
    probe: () => Promise.resolve(),
    listedSymbols: async () => [...REPLAY_SYMBOLS],
    health: () => [],
    close: () => undefined,
  };
}

function withLiveProviders(options: MarketDataOptions, replay: MarketData): MarketDataSelection {
  const { settings, now, logger, limits = {}, pace } = options;
  const providers = createLiveProviders({ settings, now, logger, limits, pace });
  const fallback = createFallbackMarketData({ providers, now, logger, limits: limits.guard });
  const live = new CandleCache({ source: fallback, now });
  const probe = new ReachabilityProbe({
    providers,
    timeoutMs: limits.probeTimeoutMs ?? PROBE_TIMEOUT_MS,
    onChange: (reachable) => logger.info({ reachable }, "live market data providers"),
  });
  const automatic = settings.MARKET_DATA === "auto";
  const source = new LiveWithReplayFallback({ live, replay, probe });
  let timer: NodeJS.Timeout | undefined;
  return {
    marketData: automatic ? source : live,
    sources: { live, replay },
    currentSource: () => (automatic && !probe.lastReached(TYPICAL_SYMBOL) ? "replay" : "live"),
    probe: async () => {
      timer ??= setInterval(() => probe.run(), limits.probeIntervalMs ?? PROBE_INTERVAL_MS).unref();
      await probe.run();
    },
    listedSymbols: async () => {
      if (automatic && !(await probe.knownToReach(TYPICAL_SYMBOL))) return [...REPLAY_SYMBOLS];
      return listedBy(providers, limits.symbolsTimeoutMs ?? SYMBOLS_TIMEOUT_MS);
    },
    health: () => fallback.health(),
    close: () => clearInterval(timer),
  };
}

/** Symbols of the providers that answer in time, and the product's own. */
async function listedBy(providers: readonly LiveProvider[], timeoutMs: number): Promise<string[]> {
  const abort = AbortSignal.timeout(timeoutMs);
  const lists = await Promise.allSettled(providers.map((provider) => provider.symbols(abort)));
  const listed = lists.flatMap((list) => (list.status === "fulfilled" ? list.value : []));
  const askable = listed.filter((symbol) => symbolSchema.safeParse(symbol).data === symbol);
  return [...new Set<string>([...SYMBOL_SUGGESTIONS, ...askable])];
}
