import { abortedByCaller, raceAbort } from "./deadline.ts";
import type { CandleRequest, LiveProvider, MarketData } from "./market-data.ts";
import { ProviderError } from "./provider-error.ts";

/** Replays candles where no provider of that kind of symbol can be reached. The error of a reachable provider stands. */
export function liveWithReplayFallback(options: {
  live: MarketData;
  replay: MarketData;
  probe: ReachabilityProbe;
}): MarketData {
  const { live, replay, probe } = options;
  return {
    async candles(request) {
      const { symbol } = request;
      const isReachable = await waitFor(probe.knownToReach(symbol), request);
      if (!isReachable) return replay.candles(request);
      try {
        return await live.candles(request);
      } catch (error) {
        if (!mayBeUnreachable(error) || (await waitFor(probe.reaches(symbol), request)))
          throw error;
        return replay.candles(request);
      }
    },
  };
}

async function waitFor(reachable: Promise<boolean>, { abort }: CandleRequest): Promise<boolean> {
  try {
    return await raceAbort(reachable, abort);
  } catch (error) {
    throw abortedByCaller("market data", error);
  }
}

const mayBeUnreachable = (error: unknown): boolean =>
  error instanceof ProviderError &&
  (error.failure === "unreachable" || error.failure === "timeout");

interface ProbeOptions {
  providers: readonly LiveProvider[];
  timeoutMs: number;
  onChange: (reachable: string[]) => void;
}

/** Probes all providers at once and caches which of them respond. */
export class ReachabilityProbe {
  readonly #options: ProbeOptions;
  #running: Promise<LiveProvider[]> | undefined;
  #last: LiveProvider[] | undefined;

  constructor(options: ProbeOptions) {
    this.#options = options;
  }

  /** Whether the last probe reached a provider for this kind of symbol; false before the first has ended. */
  lastReached(symbol: string): boolean {
    return covers(this.#last ?? [], symbol);
  }

  /** The same for the last probe, or for the first if none has ended yet. */
  async knownToReach(symbol: string): Promise<boolean> {
    return covers(this.#last ?? (await this.run()), symbol);
  }

  /** The same for a probe made now. */
  async reaches(symbol: string): Promise<boolean> {
    return covers(await this.run(), symbol);
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
    const abort = AbortSignal.timeout(timeoutMs);
    const answers = await Promise.all(providers.map((provider) => provider.isReachable(abort)));
    const reachable = providers.filter((_, index) => answers[index]);
    const names = reachable.map(({ name }) => name);
    if (names.join() !== this.#last?.map(({ name }) => name).join()) onChange(names);
    this.#last = reachable;
    return reachable;
  }
}

const covers = (providers: readonly LiveProvider[], symbol: string): boolean =>
  providers.some((provider) => provider.covers(symbol));
