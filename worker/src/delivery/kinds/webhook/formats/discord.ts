import { JSON_HEADERS } from "../../../post-publicly.ts";
import { discordMessage, resultOfDiscord, waitingUrl } from "../../discord/discord-message.ts";
import type { WebhookFormat } from "./webhook-format.ts";

/** An incoming webhook of Discord: what channels of the kind `discord` post. */
export const discord: WebhookFormat = {
  goneStatuses: [],
  async compose({ target, describe, origin }) {
    const body = JSON.stringify(discordMessage(await describe(), origin));
    return { url: waitingUrl(target.url), headers: JSON_HEADERS, body };
  },
  toResult: resultOfDiscord,
};
