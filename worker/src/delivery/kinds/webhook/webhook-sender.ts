import type { IncomingMessage, OutgoingHttpHeaders, RequestOptions } from "node:http";
import http from "node:http";
import https from "node:https";
import type { ChannelTarget } from "@shared/domain/channel-secrets.ts";
import {
  type AddressPolicy,
  parsePublicUrl,
  publicLookup,
  RefusedAddressError,
} from "@shared/domain/public-address.ts";
import { Webhook } from "standardwebhooks";
import {
  type ChannelMessage,
  type ChannelSender,
  messageJson,
  type SendResult,
} from "../../channel-sender.ts";

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

/** The rest of a response is not read. */
const MAX_RESPONSE_BYTES = 65_536;

interface PublicPost {
  /** As a user has given it. */
  url: string;
  headers: OutgoingHttpHeaders;
  body: string | Buffer;
  sentAt: Date;
  /** Statuses with which the receiver refuses messages for good. */
  goneStatuses: readonly number[];
}

/** Posts a message to an address that must be public. Redirects are not followed. */
export async function postPublicly(
  { url: address, headers, body, sentAt, goneStatuses }: PublicPost,
  policy: AddressPolicy,
  abort: AbortSignal,
): Promise<SendResult> {
  try {
    const url = parsePublicUrl(address, policy);
    const lookup = publicLookup(policy);
    const response = await post(url, body, { headers, lookup, signal: abort });
    const result = await readResult(response, sentAt);
    const isGone = goneStatuses.some((status) => status === result.responseStatus);
    return isGone ? { ...result, outcome: "gone" } : result;
  } catch (error) {
    return { outcome: "retry", responseStatus: null, error: reasonOf(error) };
  }
}

/** Each request has a connection of its own, to an address that was checked. */
function post(url: URL, body: string | Buffer, options: RequestOptions): Promise<IncomingMessage> {
  const { request } = url.protocol === "https:" ? https : http;
  return new Promise((resolve, reject) => {
    request(url, { ...options, method: "POST", agent: false }, resolve)
      .on("error", reject)
      .end(body);
  });
}

async function readResult(response: IncomingMessage, sentAt: Date): Promise<SendResult> {
  const { statusCode: status = 0, headers } = response;
  await readSome(response);
  if (status >= 200 && status < 300) {
    return { outcome: "delivered", responseStatus: status, error: null };
  }
  const retryAfterMs = parseRetryAfter(headers["retry-after"], sentAt);
  return {
    outcome: "retry",
    responseStatus: status,
    error: `The receiver answered with ${status}.`,
    ...(retryAfterMs !== null && { retryAfterMs }),
  };
}

/** The status has arrived, so an interrupted body changes nothing. */
async function readSome(response: IncomingMessage): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of response) {
      bytes += Buffer.from(chunk).length;
      if (bytes >= MAX_RESPONSE_BYTES) break;
    }
  } catch {
    // See above.
  } finally {
    response.destroy();
  }
}

/** Seconds or a date, as RFC 9110 has it. */
function parseRetryAfter(text: string | undefined, now: Date): number | null {
  if (text === undefined) return null;
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now.getTime();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

/** Codes such as `ECONNREFUSED` name no address. */
function reasonOf(error: unknown): string {
  if (error instanceof RefusedAddressError) return error.message;
  if (error instanceof Error && error.name === "AbortError")
    return "There was no response in time.";
  const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  return `The receiver could not be reached${code}.`;
}
