import { Webhook } from "standardwebhooks";
import { type ChannelMessage, messageJson } from "../../../channel-sender.ts";
import { JSON_HEADERS } from "../../../post-publicly.ts";
import type { WebhookFormat, WebhookTarget } from "./webhook-format.ts";

/** Signed messages (Standard Webhooks). */
export const standard: WebhookFormat = {
  goneStatuses: [410],
  async compose({ message, target }) {
    const body = messageJson(message);
    return { headers: { ...signatureHeaders(message, target, body), ...JSON_HEADERS }, body };
  },
};

function signatureHeaders(
  { id, sentAt }: Pick<ChannelMessage, "id" | "sentAt">,
  { secret, previous }: WebhookTarget,
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
