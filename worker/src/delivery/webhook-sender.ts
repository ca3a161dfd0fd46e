import type { AddressPolicy } from "@shared/domain/public-address.ts";
import type { ChannelTarget } from "@shared/runtime/channel-secrets.ts";
import { Webhook } from "standardwebhooks";
import { type ChannelMessage, type ChannelSender, messageJson } from "./channel-sender.ts";
import { postPublicly } from "./public-post.ts";

const GONE_STATUSES = [410];

/** Sends signed messages (Standard Webhooks) to public addresses. */
export const webhookSender = (policy: AddressPolicy): ChannelSender => ({
  async send(message, abort) {
    const { target, sentAt } = message;
    if (target.kind !== "webhook") throw new Error("The target is no webhook.");
    const body = messageJson(message);
    const headers = { ...signatureHeaders(message, target, body), ...JSON_HEADERS };
    const request = { url: target.url, headers, body, sentAt, goneStatuses: GONE_STATUSES };
    return postPublicly(request, policy, abort);
  },
});

const JSON_HEADERS = { "content-type": "application/json", "user-agent": "ai-trading-signals/1" };

function signatureHeaders(
  { id, sentAt }: Pick<ChannelMessage, "id" | "sentAt">,
  { secret, previous }: Extract<ChannelTarget, { kind: "webhook" }>,
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
