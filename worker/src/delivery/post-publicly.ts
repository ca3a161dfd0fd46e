import type {
  IncomingHttpHeaders,
  IncomingMessage,
  OutgoingHttpHeaders,
  RequestOptions,
} from "node:http";
import http from "node:http";
import https from "node:https";
import {
  type AddressPolicy,
  parsePublicUrl,
  publicLookup,
  RefusedAddressError,
} from "@shared/domain/public-address.ts";
import type { SendResult } from "./channel-sender.ts";

export const JSON_HEADERS = {
  "content-type": "application/json",
  "user-agent": "ai-trading-signals/1",
};

/** The rest of a response is not read. */
const MAX_RESPONSE_BYTES = 65_536;

interface PublicPost {
  /** As a user has given it. */
  url: string;
  headers: OutgoingHttpHeaders;
  body: string | Buffer;
}

export interface PublicResponse {
  status: number;
  headers: IncomingHttpHeaders;
  /** Its start; empty if the connection was lost while it was read. */
  body: string;
}

/**
 * Posts a message to an address that must be public. Redirects are not followed.
 * @param toResult what a response means
 */
export async function postPublicly(
  { url: address, headers, body }: PublicPost,
  policy: AddressPolicy,
  abort: AbortSignal,
  toResult: (response: PublicResponse) => SendResult,
): Promise<SendResult> {
  try {
    const url = parsePublicUrl(address, policy);
    const lookup = publicLookup(policy);
    const response = await post(url, body, { headers, lookup, signal: abort });
    return toResult({
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: await readSome(response),
    });
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

/** The status has arrived, so an interrupted body is no error. */
async function readSome(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response) {
      const part = Buffer.from(chunk);
      chunks.push(part);
      bytes += part.length;
      if (bytes >= MAX_RESPONSE_BYTES) break;
    }
  } catch {
    return "";
  } finally {
    response.destroy();
  }
  return Buffer.concat(chunks).toString();
}

interface Terms {
  sentAt: Date;
  /** Statuses with which the receiver refuses messages for good. */
  goneStatuses: readonly number[];
}

/** What a response means by its status: any 2xx is a success, and `Retry-After` is obeyed. */
export const resultByStatus =
  ({ sentAt, goneStatuses }: Terms) =>
  ({ status, headers }: PublicResponse): SendResult => {
    if (status >= 200 && status < 300) {
      return { outcome: "delivered", responseStatus: status, error: null };
    }
    const retryAfterMs = parseRetryAfter(headers["retry-after"], sentAt);
    return {
      outcome: goneStatuses.includes(status) ? "gone" : "retry",
      responseStatus: status,
      error: `The receiver answered with ${status}.`,
      ...(retryAfterMs !== null && { retryAfterMs }),
    };
  };

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
