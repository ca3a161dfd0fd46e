import { findInstrument } from "@shared/contract/instruments.ts";
import { isOpen } from "@shared/node/trading-hours.ts";
import { firstOpeningTime } from "../candles/candle-grid.ts";
import type { MarketData } from "../market-data.ts";
import { ProviderError } from "../provider-error.ts";
import { DEMO_INSTRUMENTS } from "./demo-instruments.ts";
import { Recordings } from "./recordings.ts";
import { replayPartsSource, replaySource } from "./replay-sources.ts";

/** Symbols that the demo has candles for. */
export const REPLAY_SYMBOLS: readonly string[] = Object.keys(DEMO_INSTRUMENTS);

const NOTES = {
  recorded: "Demo data: recorded candles shifted to the present, not live prices.",
  simulated: "Demo data: simulated candles, not market prices.",
} as const;

/** Added while the real market is closed. */
const DEMO_GOES_ON = "The real market is closed now; the demo goes on.";

const DATA_DIRECTORY = new URL("./data/", import.meta.url);

/**
 * Candles without any network: recordings shifted to now, and simulations where there is no
 * recording. A candle at a given time has the same values whenever, and in whichever process, it is
 * asked for. Says what it is in `notes`. A replayed market never closes, so that all of the product
 * can be tried at any time; while the real one is closed it says that too.
 */
export function createReplayMarketData(options: { now: () => number }): MarketData {
  const recordings = new Recordings(DATA_DIRECTORY);
  return {
    async candles({ symbol, timeframe, limit, until = Number.POSITIVE_INFINITY, within }) {
      const source = within
        ? replayPartsSource(recordings, { symbol, timeframe, within })
        : replaySource(recordings, { symbol, timeframe });
      if (!source) {
        throw new ProviderError({
          provider: "replay",
          failure: "unknown-symbol",
          message: `there is no demo data for ${symbol}`,
        });
      }
      const now = Math.min(options.now(), until);
      const from = firstOpeningTime({ timeframe, count: limit, now });
      const note = NOTES[source.origin];
      const isTraded = isOpen(findInstrument(symbol)?.hours ?? "always", now);
      return {
        candles: source.range(from, limit),
        provider: "replay",
        data: "replay",
        notes: [isTraded ? note : `${note} ${DEMO_GOES_ON}`],
      };
    },
  };
}
