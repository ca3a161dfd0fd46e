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

/** Limits of single requests; what is left out keeps its default. */
export interface LiveLimits {
  ccxt?: CcxtLimits | undefined;
  rest?: RequestLimits | undefined;
}

/**
 * Every live source of candles, in the order in which they are asked for what they cover: OANDA, where there is a token
 * for it, then the exchanges, then Yahoo. The place to add another kind of provider.
 * @throws SettingsError for an exchange that ccxt does not know
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
 * Live candles, and replayed ones where no provider of that kind of symbol can be reached, or none
 * deals in it at all. A provider that answered, if only with an error, was reached: its failure
 * stands.
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

/** Failures that may mean that nobody was there; a probe tells. */
function isSilence(error: unknown): boolean {
  return (
    error instanceof ProviderError &&
    (error.failure === "unreachable" || error.failure === "timeout")
  );
}

/**
 * Finds out which live providers answer; asks all of them at once, and remembers the result. A provider that answers
 * says nothing of the others, as it may deal in other kinds of markets.
 */
export class ReachabilityProbe {
  private readonly providers: readonly LiveProvider[];
  private readonly timeoutMs: number;
  private readonly onChange: (reachable: string[]) => void;
  private underway: Promise<ReadonlySet<LiveProvider>> | undefined;
  private last: ReadonlySet<LiveProvider> | undefined;

  /** @param options.onChange told the names of those that answer, when they are others than before */
  constructor(options: {
    providers: readonly LiveProvider[];
    timeoutMs: number;
    onChange: (reachable: string[]) => void;
  }) {
    this.providers = options.providers;
    this.timeoutMs = options.timeoutMs;
    this.onChange = options.onChange;
  }

  /** Whether a provider of this kind of symbol answered the last probe; false before the first has ended. */
  lastReached(symbol: string): boolean {
    return covers(this.last ?? new Set(), symbol);
  }

  /** The same by the last probe, or by the first if none has ended yet. */
  async knownToReach(symbol: string): Promise<boolean> {
    return covers(this.last ?? (await this.run()), symbol);
  }

  /** The same by a probe made now. */
  async reaches(symbol: string): Promise<boolean> {
    return covers(await this.run(), symbol);
  }

  /** Probes now, once for all who ask at the same time. Never rejects. */
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
