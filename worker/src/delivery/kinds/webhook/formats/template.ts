import { fillTemplate } from "@shared/contract/channel-kinds/webhook-template.ts";
import { JSON_HEADERS } from "../../../post-publicly.ts";
import { tradeOf, type WebhookFormat } from "./webhook-format.ts";

/** A trade in the JSON that the user has written. */
export const template: WebhookFormat = {
  goneStatuses: [410],
  async compose({ message, target }) {
    const trade = tradeOf(message);
    if (!trade) return null;
    const { takeProfit: take_profit, stopLoss: stop_loss, ...values } = trade;
    const body = fillTemplate(target.template ?? "{}", { ...values, take_profit, stop_loss });
    return { headers: JSON_HEADERS, body };
  },
};
