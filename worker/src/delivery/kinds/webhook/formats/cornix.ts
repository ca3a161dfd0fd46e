import { plainPrice } from "@shared/contract/price.ts";
import { type Trade, tradeOf, type WebhookFormat } from "./webhook-format.ts";

/** A trade in the free text that Cornix reads. */
export const cornix: WebhookFormat = {
  goneStatuses: [410],
  async compose({ message }) {
    const trade = tradeOf(message);
    return trade && { headers: TEXT_HEADERS, body: cornixText(trade) };
  },
};

const TEXT_HEADERS = {
  "content-type": "text/plain; charset=utf-8",
  "user-agent": "ai-trading-signals/1",
};

/** The pair, the words Entry, Take Profit and Stop, and no others that could be read as a price. */
export const cornixText = ({ symbol, side, entry, takeProfit, stopLoss }: Trade): string =>
  [
    `#${symbol.replaceAll(/\s+/g, "")}`,
    `Signal Type: Regular (${side === "BUY" ? "Long" : "Short"})`,
    "",
    "Entry Targets:",
    `1) ${plainPrice(entry)}`,
    "",
    "Take-Profit Targets:",
    `1) ${plainPrice(takeProfit)}`,
    "",
    "Stop Targets:",
    `1) ${plainPrice(stopLoss)}`,
  ].join("\n");
