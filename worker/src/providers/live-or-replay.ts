import { callerGaveUp, untilAborted } from "./abortable.ts";
import type { LiveProbe } from "./live-probe.ts";
import type { CandleRequest, CandleSeries, MarketData } from "./market-data.ts";
import { ProviderError } from "./provider-error.ts";

/**
 * Live candles, and replayed ones where no provider of that kind of symbol can be reached, or none
 * deals in it at all. A provider that answered, if only with an error, was reached: its failure
 * stands.
 */
export class LiveOrReplay implements MarketData {
  private readonly live: MarketData;
  private readonly replay: MarketData;
  private readonly probe: LiveProbe;

  constructor(options: { live: MarketData; replay: MarketData; probe: LiveProbe }) {
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
