import type { AddressPolicy } from "@shared/domain/public-address.ts";
import webPush from "web-push";
import type { ChannelMessage, ChannelSender } from "./channel-sender.ts";
import { postPublicly } from "./public-post.ts";
import { pushPayload } from "./push-payload.ts";

const DAY_SECONDS = 86_400;
/** The subscription has ended or never existed. */
const GONE_STATUSES = [404, 410];

interface VapidKeys {
  subject: string;
  publicKey: string;
  privateKey: string;
}

/** Sends encrypted messages (RFC 8291) through the push services of browsers, which must be public addresses. */
export const webPushSender = (policy: AddressPolicy, vapidDetails: VapidKeys): ChannelSender => ({
  async send(message, abort) {
    const { target, sentAt } = message;
    if (target.kind !== "web-push") throw new Error("The target is no push subscription.");
    const { endpoint: url, keys } = target.subscription;
    const { headers, body } = webPush.generateRequestDetails(
      { endpoint: url, keys },
      pushPayload(message),
      {
        vapidDetails,
        contentEncoding: "aes128gcm",
        TTL: ttlSeconds(message),
        // A repeated attempt replaces the message that still waits for the browser.
        topic: message.id,
        urgency: message.type === "signal.completed" ? "high" : "normal",
      },
    );
    return postPublicly({ url, headers, body, sentAt, goneStatuses: GONE_STATUSES }, policy, abort);
  },
});

/** How long a push service keeps the message while the browser is offline: a signal until it can no longer be acted upon. */
function ttlSeconds({ type, expiresAt, sentAt }: ChannelMessage): number {
  if (type !== "signal.completed") return DAY_SECONDS;
  return Math.max(0, Math.ceil((expiresAt.getTime() - sentAt.getTime()) / 1_000));
}
