import type { Exchange, MarketInterface } from "ccxt";
import { ProviderError } from "../provider-error.ts";
import { toProviderError } from "./exchange-client.ts";

const HOUR_MS = 3_600_000;
const MAX_AGE_MS = 6 * HOUR_MS;

/** Symbols that can be traded now. Rejects with `ProviderError` of scope `provider`. */
export type MarketList = () => Promise<ReadonlySet<string>>;

/**
 * Loads the markets of an exchange once for simultaneous callers, and again after a failure: ccxt's `loadMarkets`
 * caches failures.
 */
export function createMarketList(options: {
  exchange: Exchange;
  load: () => Promise<(MarketInterface | undefined)[]>;
  now: () => number;
  onStale: (error: unknown) => void;
}): MarketList {
  let kept: { symbols: ReadonlySet<string>; loadedAt: number } | undefined;
  let loading: Promise<ReadonlySet<string>> | undefined;

  const load = async () => {
    const markets = (await options.load()).filter(isSpotMarket);
    if (markets.length === 0) {
      const message = "the list of markets is empty";
      throw new ProviderError({ provider: options.exchange.id, failure: "nonsense", message });
    }
    options.exchange.setMarkets(markets);
    const tradable = markets.filter(({ active }) => active !== false);
    kept = { symbols: new Set(tradable.map(({ symbol }) => symbol)), loadedAt: options.now() };
    return kept.symbols;
  };
  const loadOnce = () => {
    loading ??= load()
      .catch((error: unknown) => {
        throw toProviderError(error, options.exchange.id).ofProvider();
      })
      .finally(() => {
        loading = undefined;
      });
    return loading;
  };

  return async () => {
    if (!kept) return loadOnce();
    if (options.now() - kept.loadedAt > MAX_AGE_MS) loadOnce().catch(options.onStale);
    return kept.symbols;
  };
}

function isSpotMarket(market: MarketInterface | undefined): market is MarketInterface {
  return Boolean(market?.spot && market.id && market.base && market.quote);
}
