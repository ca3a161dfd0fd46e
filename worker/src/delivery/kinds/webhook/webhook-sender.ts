import { webhook } from "@shared/contract/channel-kinds/webhook.ts";
import type { AddressPolicy } from "@shared/domain/public-address.ts";
import { Webhook } from "standardwebhooks";
import type { z } from "zod";
import {
  type ChannelMessage,
  type ChannelSender,
  type KindDeps,
  messageJson,
} from "../../channel-sender.ts";
import { JSON_HEADERS, postPublicly, resultByStatus } from "../../post-publicly.ts";

const GONE_STATUSES = [410];

export const startWebhooks = ({ policy }: Pick<KindDeps, "policy">): ChannelSender =>
  webhookSender(policy);

/** Sends signed messages (Standard Webhooks) to public addresses. */
export const webhookSender = (policy: AddressPolicy): ChannelSender => ({
  async send(message, abort) {
    const target = webhook.target.parse(message.target);
    const body = messageJson(message);
    const headers = { ...signatureHeaders(message, target, body), ...JSON_HEADERS };
    const toResult = resultByStatus({ sentAt: message.sentAt, goneStatuses: GONE_STATUSES });
    return postPublicly({ url: target.url, headers, body }, policy, abort, toResult);
  },
});

function signatureHeaders(
  { id, sentAt }: Pick<ChannelMessage, "id" | "sentAt">,
  { secret, previous }: z.infer<typeof webhook.target>,
  body: string,
) {
  const isOverlap = previous && previous.until > sentAt.getTime();
  const secrets = [secret, ...(isOverlap ? [previous.secret] : [])];
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1_000)),
    "webhook-signature": secrets.map((key) => new Webhook(key).sign(id, sentAt, body)).join(" "),
  };
}
