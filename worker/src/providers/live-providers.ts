import type { Logger } from "@shared/node/logger.ts";
import type { Settings } from "@shared/node/settings.ts";
import { type CcxtLimits, CcxtMarketData } from "./ccxt/ccxt-market-data.ts";
import type { RequestLimits } from "./http/fetch-whole.ts";
import type { LiveProvider } from "./live-provider.ts";
import { createOandaMarketData } from "./oanda/oanda-market-data.ts";
import { createYahooMarketData } from "./yahoo/yahoo-market-data.ts";

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
