import OpenAI from "openai";
import type { ChatCompletionCreateParamsNonStreaming } from "openai/resources/chat/completions";
import { raceAbort, withDeadline } from "../../deadline.ts";
import { readBody } from "../../market-data/fetch-body.ts";
import { ProviderError } from "../../market-data/market-data.ts";
import { VENDOR_URL } from "./model-server-store.ts";
import { errorOf } from "./read-completion.ts";
import { type Rejection, statusInBody } from "./read-rejection.ts";

export interface ServerAccess {
  apiKey: string;
  baseUrl?: string | undefined;
}

/** What a server sent: a document, or the reason why not. */
export type ServerReply =
  | { kind: "document"; body: unknown; headers: Headers }
  | { kind: "rejection"; rejection: Rejection };

interface CallLimits {
  abort: AbortSignal;
  timeoutMs: number;
}

const MAX_BODY_BYTES = 10_000_000;

export type ChatClient = ReturnType<typeof createChatClient>;

/** Makes single calls to a server of models; retries are up to the caller. Calls throw ProviderError. */
export function createChatClient({ apiKey, baseUrl }: ServerAccess) {
  const client = new OpenAI({
    apiKey,
    baseURL: baseUrl ?? VENDOR_URL,
    maxRetries: 0,
    logLevel: "off",
    fetch: keepRejections,
    // Otherwise the service could have the request, with its chart image, sent to any address.
    fetchOptions: { redirect: "error" },
  });
  // The client's own timeout ends with the headers; the deadline also covers a body that stalls.
  const call = (
    { abort, timeoutMs }: CallLimits,
    send: (options: { signal: AbortSignal; timeout: number }) => Promise<Response>,
  ): Promise<ServerReply> =>
    withDeadline(abort, timeoutMs, async (signal) => {
      try {
        const response = await raceAbort(send({ signal, timeout: timeoutMs }), signal);
        return await readReply(response, signal);
      } catch (error) {
        if (signal.aborted) throw tooLate();
        const rejection = rejectionOf(error);
        if (rejection) return { kind: "rejection", rejection: withoutKey(rejection, apiKey) };
        throw connectionError(error, apiKey);
      }
    });
  return {
    complete: (body: ChatCompletionCreateParamsNonStreaming, limits: CallLimits) =>
      call(limits, (options) => client.chat.completions.create(body, options).asResponse()),
    models: (limits: CallLimits) =>
      call(limits, (options) => client.models.list(options).asResponse()),
  };
}

/** The client keeps only a part of the errors that other servers write. */
const keepRejections: typeof fetch = async (url, init) => {
  const response = await fetch(url, init);
  if (response.ok) return response;
  const signal = init?.signal ?? new AbortController().signal;
  const bytes = await readBody(response, { signal, maxBytes: MAX_BODY_BYTES });
  const { status, headers } = response;
  return Response.json({ error: { body: Buffer.from(bytes).toString() } }, { status, headers });
};

function rejectionOf(error: unknown): Rejection | null {
  if (!(error instanceof OpenAI.APIError) || error.status === undefined) return null;
  const { status, error: kept } = error;
  const isKept = typeof kept === "object" && kept !== null && "body" in kept;
  const body = isKept ? String(kept.body) : error.message;
  return { status, body, headers: error.headers ?? new Headers() };
}

/** An error object, and half a document, count as rejections. */
async function readReply(response: Response, signal: AbortSignal): Promise<ServerReply> {
  const { headers } = response;
  const bytes = await readBody(response, { signal, maxBytes: MAX_BODY_BYTES });
  const text = Buffer.from(bytes).toString();
  const body = parseJson(text);
  const status = statusInBody(body);
  const isError = body === undefined || (errorOf(body) !== null && status !== undefined);
  if (isError) return { kind: "rejection", rejection: { status, body: text, headers } };
  return { kind: "document", body, headers };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Servers may repeat the API key. */
const withoutKey = (rejection: Rejection, apiKey: string): Rejection => ({
  ...rejection,
  body: rejection.body.replaceAll(apiKey, "[secret]"),
});

const tooLate = () =>
  new ProviderError({ provider: "openai", failure: "timeout", message: "no answer in time" });

function connectionError(error: unknown, apiKey: string): ProviderError {
  if (error instanceof ProviderError) return error;
  if (
    error instanceof OpenAI.APIConnectionTimeoutError ||
    error instanceof OpenAI.APIUserAbortError
  ) {
    return tooLate();
  }
  const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const cause = new Error(words.replaceAll(apiKey, "[secret]"));
  const isConnection = error instanceof OpenAI.APIConnectionError;
  return new ProviderError({
    provider: "openai",
    failure: isConnection ? "unreachable" : "refused",
    message: isConnection ? "no connection" : "the answer did not arrive whole",
    cause,
  });
}
