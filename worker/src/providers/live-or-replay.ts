import { callerGaveUp, untilAborted } from "./abortable.ts";
import type { LiveProbe } from "./live-probe.ts";
import type { LiveProvider } from "./live-provider.ts";
import type { CandleRequest, CandleSeries, MarketData } from "./market-data.ts";
import { ProviderError } from "./provider-error.ts";

/**
 * Live candles, and replayed ones where no provider can be reached or none deals in the symbol at
 * all. A provider that answered, if only with an error, was reached: its failure stands.
 */
export class LiveOrReplay implements MarketData {
  private readonly live: MarketData;
  private readonly replay: MarketData;
  private readonly providers: readonly LiveProvider[];
  private readonly probe: LiveProbe;

  constructor(options: {
    live: MarketData;
    replay: MarketData;
    providers: readonly LiveProvider[];
    probe: LiveProbe;
  }) {
    this.live = options.live;
    this.replay = options.replay;
    this.providers = options.providers;
    this.probe = options.probe;
  }

  async candles(request: CandleRequest): Promise<CandleSeries> {
    const covered = this.providers.some((provider) => provider.covers(request.symbol));
    if (!covered || !(await this.waitFor(this.probe.known(), request))) {
      return this.replay.candles(request);
    }
    try {
      return await this.live.candles(request);
    } catch (error) {
      if (!isSilence(error) || (await this.waitFor(this.probe.run(), request))) throw error;
      return this.replay.candles(request);
    }
  }

  private async waitFor(reachable: Promise<boolean>, { abort }: CandleRequest): Promise<boolean> {
    try {
      return await untilAborted(reachable, abort);
    } catch (error) {
      throw callerGaveUp("market data", error);
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
