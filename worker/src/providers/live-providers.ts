import type { Logger } from "@shared/node/logger.ts";
import type { Settings } from "@shared/node/settings.ts";
import { type CcxtLimits, CcxtMarketData } from "./ccxt/ccxt-market-data.ts";
import type { LiveProvider } from "./live-provider.ts";

export type LiveSettings = Pick<Settings, "EXCHANGES" | "EXCHANGE_URL">;

/**
 * Every live source of candles, in the order in which they are asked: the place to add another kind
 * of provider.
 * @throws SettingsError for an exchange that ccxt does not know
 */
export function createLiveProviders(options: {
  settings: LiveSettings;
  now: () => number;
  logger: Logger;
  limits?: CcxtLimits | undefined;
  pace?: boolean | undefined;
}): LiveProvider[] {
  const { settings, ...rest } = options;
  return settings.EXCHANGES.map(
    (exchangeId) => new CcxtMarketData({ ...rest, exchangeId, baseUrl: settings.EXCHANGE_URL }),
  );
}
