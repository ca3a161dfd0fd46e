import { webPush } from "@shared/contract/channel-kinds/web-push.ts";
import { readPushLook } from "@shared/domain/branding.ts";
import { cutText } from "@shared/domain/cut-text.ts";
import type { AddressPolicy } from "@shared/domain/public-address.ts";
import vapidPush from "web-push";
import {
  type ChannelMessage,
  type ChannelSender,
  type KindDeps,
  messageJson,
} from "../../channel-sender.ts";
import { postPublicly, resultByStatus } from "../../post-publicly.ts";

const DAY_SECONDS = 86_400;
/** The subscription has ended or never existed. */
const GONE_STATUSES = [404, 410];

interface VapidKeys {
  subject: string;
  publicKey: string;
  privateKey: string;
}

/** How the operator's product looks in a notification, where it has a name or a logo of its own. */
type PushLook = { product?: string; icon?: string };

/** Web push needs keys of this service (VAPID). */
export function startWebPush({ database, policy, settings }: KindDeps): ChannelSender | null {
  const { VAPID_SUBJECT: subject, VITE_API_URL: apiUrl } = settings;
  const { VAPID_PUBLIC_KEY: publicKey, VAPID_PRIVATE_KEY: privateKey } = settings;
  if (!publicKey || !privateKey) return null;
  const readLook = () => readPushLook(database, apiUrl);
  return webPushSender(policy, { subject, publicKey, privateKey }, readLook);
}

/** Sends encrypted messages (RFC 8291) through the push services of browsers, which must be public addresses. */
export const webPushSender = (
  policy: AddressPolicy,
  vapidDetails: VapidKeys,
  readLook: () => Promise<PushLook> = async () => ({}),
): ChannelSender => ({
  async send(message, abort) {
    const { endpoint: url, keys } = webPush.target.parse(message.target).subscription;
    const { headers, body } = vapidPush.generateRequestDetails(
      { endpoint: url, keys },
      pushPayload(message, await readLook()),
      {
        vapidDetails,
        contentEncoding: "aes128gcm",
        TTL: ttlSeconds(message),
        // A repeated attempt replaces the message that still waits for the browser.
        topic: message.id,
        urgency: message.type === "signal.completed" ? "high" : "normal",
      },
    );
    const toResult = resultByStatus({ sentAt: message.sentAt, goneStatuses: GONE_STATUSES });
    return postPublicly({ url, headers, body }, policy, abort, toResult);
  },
});

/** How long a push service keeps the message while the browser is offline: a signal until it can no longer be acted upon. */
function ttlSeconds({ validUntil, sentAt }: ChannelMessage): number {
  if (!validUntil) return DAY_SECONDS;
  return Math.max(0, Math.ceil((validUntil.getTime() - sentAt.getTime()) / 1_000));
}

/** 3 KB with what the encryption adds: header, padding and tag. */
const MAX_BYTES = 3_072 - 103;

interface Limits {
  textLength: number;
  listLength: number;
  /** Levels of objects, of which `data` is the first. */
  depth: number;
}

/** Tried in turn. The last one leaves the direct fields of `data` and of its objects, such as the levels in `analysis`. */
const LIMITS: readonly Limits[] = [
  { textLength: 400, listLength: 10, depth: 8 },
  { textLength: 120, listLength: 5, depth: 6 },
  { textLength: 60, listLength: 2, depth: 4 },
  { textLength: 60, listLength: 0, depth: 2 },
  { textLength: 24, listLength: 0, depth: 2 },
];

/** The JSON of a message, with `data` cut to what a push may contain: first long texts, then long lists, then what is deep. */
export function pushPayload(
  message: Pick<ChannelMessage, "type" | "timestamp" | "data">,
  look: PushLook = {},
): string {
  for (const limits of [null, ...LIMITS]) {
    const data = limits ? cut(message.data, limits) : message.data;
    const json = messageJson({ ...message, data }, look);
    if (Buffer.byteLength(json) <= MAX_BYTES) return json;
  }
  return messageJson({ ...message, data: {} }, look);
}

function cut(value: unknown, limits: Limits): unknown {
  if (typeof value === "string") return cutText(value, limits.textLength);
  if (typeof value !== "object" || value === null) return value;
  const inner = { ...limits, depth: limits.depth - 1 };
  if (Array.isArray(value)) {
    return value.slice(0, limits.listLength).map((item) => cut(item, inner));
  }
  const isKept = ([, item]: [string, unknown]) =>
    inner.depth > 0 || typeof item !== "object" || item === null;
  const entries = Object.entries(value).filter(isKept);
  return Object.fromEntries(entries.map(([key, item]) => [key, cut(item, inner)]));
}
