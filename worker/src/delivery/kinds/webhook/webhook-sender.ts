import { webhook } from "@shared/contract/channel-kinds/webhook.ts";
import type { WebhookFormat as FormatName } from "@shared/contract/channel-kinds/webhook-formats.ts";
import { readBrand } from "@shared/domain/branding.ts";
import type { AddressPolicy } from "@shared/domain/public-address.ts";
import type { ChannelMessage, ChannelSender, KindDeps, SendResult } from "../../channel-sender.ts";
import { describeMessage, type MessageText, readNamedSignals } from "../../describe-message.ts";
import { postPublicly, resultByStatus } from "../../post-publicly.ts";
import { cornix } from "./formats/cornix.ts";
import { discord } from "./formats/discord.ts";
import { slack } from "./formats/slack.ts";
import { standard } from "./formats/standard.ts";
import { template } from "./formats/template.ts";
import { threeCommas } from "./formats/three-commas.ts";
import type { WebhookFormat } from "./formats/webhook-format.ts";

const FORMATS: Record<FormatName, WebhookFormat> = {
  standard,
  discord,
  slack,
  cornix,
  "3commas": threeCommas,
  template,
};

interface WebhookDeps extends Pick<KindDeps, "database" | "policy"> {
  settings: Pick<KindDeps["settings"], "CLIENT_ORIGIN">;
}

export const startWebhooks = ({ database, policy, settings }: WebhookDeps): ChannelSender => {
  const [origin = ""] = settings.CLIENT_ORIGIN;
  return webhookSender({ policy, origin, describe: (message) => describeTo(database, message) });
};

interface SenderDeps {
  policy: AddressPolicy;
  /** Of the web pages. */
  origin: string;
  /** What a message says to people. */
  describe: (message: ChannelMessage) => Promise<MessageText>;
}

/** Sends messages to public addresses, in the format of each webhook. */
export const webhookSender = ({ policy, origin, describe }: SenderDeps): ChannelSender => ({
  async send(message, abort) {
    const target = webhook.target.parse(message.target);
    const { compose, goneStatuses, toResult } = FORMATS[target.format ?? "standard"];
    const request = await compose({ message, target, describe: () => describe(message), origin });
    if (!request) return SKIPPED;
    const byStatus = resultByStatus({ sentAt: message.sentAt, goneStatuses });
    return postPublicly({ url: target.url, ...request }, policy, abort, toResult ?? byStatus);
  },
});

const SKIPPED: SendResult = {
  outcome: "skipped",
  responseStatus: null,
  error: "This format is sent trades only.",
};

async function describeTo(
  database: WebhookDeps["database"],
  message: ChannelMessage,
): Promise<MessageText> {
  const signals = await readNamedSignals(database, message);
  return describeMessage(message, signals, await readBrand(database));
}
