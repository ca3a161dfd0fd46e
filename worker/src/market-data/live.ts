import type { Logger } from "@shared/runtime/logger.ts";
import type { Settings } from "@shared/runtime/settings.ts";
import { type CcxtLimits, CcxtMarketData } from "./ccxt/ccxt-market-data.ts";
import { abortedByCaller, raceAbort } from "./deadline.ts";
import type { RequestLimits } from "./fetch-body.ts";
import type { CandleRequest, CandleSeries, LiveProvider, MarketData } from "./market-data.ts";
import { createOandaMarketData } from "./oanda-market-data.ts";
import { ProviderError } from "./provider-error.ts";
import { createYahooMarketData } from "./yahoo-market-data.ts";

export type LiveSettings = Pick<
  Settings,
  "EXCHANGES" | "EXCHANGE_URL" | "OANDA_TOKEN" | "OANDA_URL" | "YAHOO_URL"
>;

export interface LiveLimits {
  ccxt?: CcxtLimits | undefined;
  rest?: RequestLimits | undefined;
}

/**
 * All live providers, in the order in which they are asked. Add a new provider here.
 * @throws SettingsError for an unknown exchange
 */
export function createLiveProviders(options: {
  settings: LiveSettings;
  now: () => number;
  logger: Logger;
  limits?: LiveLimits | undefined;
  pace?: boolean | undefined;
}): LiveProvider[] {
  const { settings, limits = {}, now, ...rest } = options;
  const token = settings.OANDA_TOKEN;
  const oanda = token
    ? [createOandaMarketData({ token, baseUrl: settings.OANDA_URL, now, limits: limits.rest })]
    : [];
  const exchanges = settings.EXCHANGES.map(
    (exchangeId) =>
      new CcxtMarketData({
        ...rest,
        now,
        exchangeId,
        baseUrl: settings.EXCHANGE_URL,
        limits: limits.ccxt,
      }),
  );
  const yahoo = createYahooMarketData({ baseUrl: settings.YAHOO_URL, now, limits: limits.rest });
  return [...oanda, ...exchanges, yahoo];
}

/**
 * Replays candles where no provider of that kind of symbol can be reached. The error of a reachable provider is passed
 * on.
 */
export class LiveWithReplayFallback implements MarketData {
  private readonly live: MarketData;
  private readonly replay: MarketData;
  private readonly probe: ReachabilityProbe;

  constructor(options: { live: MarketData; replay: MarketData; probe: ReachabilityProbe }) {
    this.live = options.live;
    this.replay = options.replay;
    this.probe = options.probe;
  }

  async candles(request: CandleRequest): Promise<CandleSeries> {
    const { symbol } = request;
    if (!(await this.waitFor(this.probe.knownToReach(symbol), request))) {
      return this.replay.candles(request);
    }
    try {
      return await this.live.candles(request);
    } catch (error) {
      if (!isSilence(error) || (await this.waitFor(this.probe.reaches(symbol), request))) {
        throw error;
      }
      return this.replay.candles(request);
    }
  }

  private async waitFor(reachable: Promise<boolean>, { abort }: CandleRequest): Promise<boolean> {
    try {
      return await raceAbort(reachable, abort);
    } catch (error) {
      throw abortedByCaller("market data", error);
    }
  }
}

function isSilence(error: unknown): boolean {
  return (
    error instanceof ProviderError &&
    (error.failure === "unreachable" || error.failure === "timeout")
  );
}

/** Probes all providers at once and caches which of them respond. */
export class ReachabilityProbe {
  private readonly providers: readonly LiveProvider[];
  private readonly timeoutMs: number;
  private readonly onChange: (reachable: string[]) => void;
  private underway: Promise<ReadonlySet<LiveProvider>> | undefined;
  private last: ReadonlySet<LiveProvider> | undefined;

  constructor(options: {
    providers: readonly LiveProvider[];
    timeoutMs: number;
    onChange: (reachable: string[]) => void;
  }) {
    this.providers = options.providers;
    this.timeoutMs = options.timeoutMs;
    this.onChange = options.onChange;
  }

  lastReached(symbol: string): boolean {
    return covers(this.last ?? new Set(), symbol);
  }

  async knownToReach(symbol: string): Promise<boolean> {
    return covers(this.last ?? (await this.run()), symbol);
  }

  async reaches(symbol: string): Promise<boolean> {
    return covers(await this.run(), symbol);
  }

  run(): Promise<ReadonlySet<LiveProvider>> {
    this.underway ??= this.probe().finally(() => {
      this.underway = undefined;
    });
    return this.underway;
  }

  private async probe(): Promise<ReadonlySet<LiveProvider>> {
    const abort = AbortSignal.timeout(this.timeoutMs);
    const answers = await Promise.all(
      this.providers.map((provider) => provider.isReachable(abort)),
    );
    const reachable = new Set(this.providers.filter((_, index) => answers[index]));
    if (!this.last || !isSame(this.last, reachable)) {
      this.onChange([...reachable].map(({ name }) => name));
    }
    this.last = reachable;
    return reachable;
  }
}

function covers(providers: ReadonlySet<LiveProvider>, symbol: string): boolean {
  return [...providers].some((provider) => provider.covers(symbol));
}

function isSame<T>(one: ReadonlySet<T>, other: ReadonlySet<T>): boolean {
  return one.size === other.size && [...one].every((item) => other.has(item));
}
