import type { Logger } from "@shared/runtime/logger.ts";
import type { Settings } from "@shared/runtime/settings.ts";
import { type CcxtLimits, CcxtMarketData } from "./ccxt/ccxt-market-data.ts";
import type { RequestLimits } from "./fetch-body.ts";
import type { LiveProvider } from "./market-data.ts";
import { createOandaMarketData } from "./oanda-market-data.ts";
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
 * All live providers, in the order in which they are asked for the symbols that they cover. Add a new provider here.
 * @throws SettingsError for an unknown exchange
 */
export function createLiveProviders(options: {
  settings: LiveSettings;
  now: () => number;
  logger: Logger;
  limits: LiveLimits;
  pace?: boolean | undefined;
}): LiveProvider[] {
  const { settings, limits, now, logger, pace } = options;
  const { OANDA_TOKEN: token, OANDA_URL, EXCHANGE_URL, YAHOO_URL } = settings;
  const rest = { now, limits: limits.rest };
  const ccxt = { now, limits: limits.ccxt, logger, pace, baseUrl: EXCHANGE_URL };
  return [
    ...(token ? [createOandaMarketData({ ...rest, token, baseUrl: OANDA_URL })] : []),
    ...settings.EXCHANGES.map((exchangeId) => new CcxtMarketData({ ...ccxt, exchangeId })),
    createYahooMarketData({ ...rest, baseUrl: YAHOO_URL }),
  ];
}
