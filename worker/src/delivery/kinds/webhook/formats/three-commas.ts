import { findInstrument } from "@shared/contract/instruments.ts";
import { plainPrice } from "@shared/contract/price.ts";
import { JSON_HEADERS } from "../../../post-publicly.ts";
import { type Trade, tradeOf, type WebhookFormat, type WebhookTarget } from "./webhook-format.ts";

/** Seconds after which a Signal Bot ignores a message. */
const MAX_LAG = "300";

/** A custom signal for a Signal Bot of 3Commas. Its order, take profit and stop loss are those of the bot. */
export const threeCommas: WebhookFormat = {
  goneStatuses: [410],
  async compose({ message, target }) {
    const trade = tradeOf(message);
    if (!trade) return null;
    const body = JSON.stringify(customSignal(trade, target, message.timestamp));
    return { headers: JSON_HEADERS, body };
  },
};

export function customSignal(
  { symbol, side, entry }: Trade,
  { bot }: Pick<WebhookTarget, "bot">,
  timestamp: Date,
) {
  const { exchange, ticker } = tradingViewNames(symbol);
  return {
    secret: bot?.secret ?? "",
    max_lag: MAX_LAG,
    timestamp: timestamp.toISOString(),
    trigger_price: plainPrice(entry),
    tv_exchange: exchange,
    tv_instrument: ticker,
    action: side === "BUY" ? "enter_long" : "enter_short",
    bot_uuid: bot?.uuid ?? "",
  };
}

/** What TradingView would send. */
function tradingViewNames(symbol: string): { exchange: string; ticker: string } {
  const [exchange = "", ticker] = findInstrument(symbol)?.tradingView.split(":") ?? [];
  return ticker === undefined
    ? { exchange: "BINANCE", ticker: symbol.replaceAll(/[^\p{L}\p{N}]/gu, "") }
    : { exchange, ticker };
}
