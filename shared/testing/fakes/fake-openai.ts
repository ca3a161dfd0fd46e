import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import type { Advice } from "../../../worker/src/analysis/analyst.ts";
import type { chartSchema } from "../../../worker/src/analysis/openai/read-chart.ts";
import { HTTP_FAULTS, type HttpFault, readText, sendJson, startHttpFake } from "./fake-http.ts";
import type { ModelServer } from "./model-servers.ts";

type OpenAiScript = (chat: ReceivedChat, index: number) => OpenAiBehaviour;

export type FakeOpenAi = Awaited<ReturnType<typeof startFakeOpenAi>>;

const ADVICE: OpenAiBehaviour = { kind: "advice" };

/** Starts a fake of an OpenAI-compatible server: `POST /v1/chat/completions` in the real shape. */
export async function startFakeOpenAi() {
  const chats: ReceivedChat[] = [];
  let script: OpenAiScript = () => ADVICE;
  let models: unknown = null;
  const server = await startHttpFake(async (request, response) => {
    if (models !== null && request.url === "/v1/models") return sendJson(response, models);
    if (request.method !== "POST" || request.url !== "/v1/chat/completions") {
      return sendError(response, { status: 404, message: "Unknown request URL" });
    }
    const parsed = chatRequestSchema.safeParse(JSON.parse(await readText(request)));
    if (!parsed.success) {
      return sendError(response, { status: 400, message: parsed.error.message });
    }
    const chat = receivedChat(request.headers, parsed.data);
    chats.push(chat);
    const call = chats.length - 1;
    await answerChat(response, { chat, call, behaviour: script(chat, call) });
  });
  return {
    ...server,
    baseUrl: `${server.url}/v1`,
    chats,
    behave: (behaviour: OpenAiBehaviour | OpenAiScript) => {
      script = typeof behaviour === "function" ? behaviour : () => behaviour;
    },
    /** Sends this as `GET /v1/models`. */
    listModels: (list: unknown) => {
      models = list;
    },
    reset: () => {
      script = () => ADVICE;
      models = null;
      chats.length = 0;
    },
  };
}

/** Tokens that a response reports; estimated from the texts by default. */
interface Usage {
  usage?: { promptTokens: number; completionTokens: number };
}

export type OpenAiBehaviour =
  | (Usage & {
      kind: "advice";
      advice?: Partial<FakeAdvice>;
      delayMs?: number;
      /** The response is delayed until then. */
      heldUntil?: Promise<unknown>;
      fenced?: boolean;
    })
  | (Usage & { kind: "content"; content: string; finishReason?: string })
  | (Usage & { kind: "refusal"; heldUntil?: Promise<unknown> })
  | { kind: "no-choices" }
  | { kind: "status"; status: number; message?: string; code?: string; retryAfterSeconds?: number }
  | { kind: "broken-json" }
  /** Answers and rejects as this kind of server does. */
  | { kind: "server"; server: ModelServer }
  /** Any document, such as an error with status 200. */
  | { kind: "body"; body: unknown; status?: number; headers?: Record<string, string> }
  | { kind: HttpFault };

async function answerChat(
  response: ServerResponse,
  { chat, call, behaviour }: { chat: ReceivedChat; call: number; behaviour: OpenAiBehaviour },
): Promise<void> {
  switch (behaviour.kind) {
    case "advice": {
      await behaviour.heldUntil;
      await setTimeout(behaviour.delayMs ?? 0);
      const json = JSON.stringify({ ...answerTo(chat), ...behaviour.advice });
      const content = behaviour.fenced ? `\`\`\`json\n${json}\n\`\`\`` : json;
      return sendJson(response, completion(chat, { ...behaviour, message: { content } }));
    }
    case "content": {
      const { content } = behaviour;
      return sendJson(response, completion(chat, { ...behaviour, message: { content } }));
    }
    case "refusal": {
      await behaviour.heldUntil;
      const message = { content: null, refusal: "I can't help with that." };
      return sendJson(response, completion(chat, { ...behaviour, message }));
    }
    case "no-choices":
      return sendJson(response, { ...completion(chat, { message: { content: "" } }), choices: [] });
    case "status":
      return sendError(response, behaviour);
    case "broken-json":
      return sendJson(response, '{"id":"chatcmpl-1","object":"chat.completion","choi');
    case "server":
      return answerAs(behaviour.server, response, { chat, call });
    case "body": {
      for (const [name, value] of Object.entries(behaviour.headers ?? {})) {
        response.setHeader(name, value);
      }
      return sendJson(response, behaviour.body, behaviour.status);
    }
    default:
      return HTTP_FAULTS[behaviour.kind](response);
  }
}

function answerAs(
  { rejects, writes, finishReason }: ModelServer,
  response: ServerResponse,
  { chat, call }: { chat: ReceivedChat; call: number },
): void {
  const rejection = rejects?.(chat.body, call);
  if (rejection) return sendJson(response, rejection.body, rejection.status);
  const advice = JSON.stringify(answerTo(chat));
  const body = completion(chat, { message: { content: advice }, finishReason });
  const [choice] = body.choices;
  const message = { role: "assistant", content: advice, ...writes?.(advice) };
  sendJson(response, { ...body, choices: [{ ...choice, message }] });
}

function sendError(
  response: ServerResponse,
  error: { status: number; message?: string; code?: string; retryAfterSeconds?: number },
): void {
  const { status, message = "The server had an error.", code = null, retryAfterSeconds } = error;
  if (retryAfterSeconds !== undefined) response.setHeader("retry-after", String(retryAfterSeconds));
  const type = status === 429 ? "rate_limit_error" : "server_error";
  sendJson(response, { error: { message, type, param: null, code } }, status);
}

/** Characters of a token, to estimate usage. */
const TOKEN_LENGTH = 4;

/** Estimates the tokens of a prompt, which has more numbers than a reply: their tokens are shorter. */
export const promptTokensOf = (text: string): number => Math.ceil(text.length / 3);

/** A chat completion. Content beyond the limit of tokens is cut off. */
function completion(
  { body, text }: ReceivedChat,
  reply: Usage & {
    message: { content: string | null; refusal?: string };
    finishReason?: string | undefined;
  },
) {
  const { max_tokens = Number.POSITIVE_INFINITY, max_completion_tokens: maxTokens = max_tokens } =
    body;
  const content = reply.message.content?.slice(0, maxTokens * TOKEN_LENGTH) ?? null;
  const isCutOff = content !== reply.message.content;
  const { promptTokens, completionTokens } = reply.usage ?? {
    promptTokens: promptTokensOf(text),
    completionTokens: Math.ceil((content?.length ?? 0) / TOKEN_LENGTH),
  };
  return {
    id: "chatcmpl-fake",
    object: "chat.completion",
    created: Math.floor(Date.now() / 1_000),
    model: `${body.model}-2026-10-01`,
    choices: [
      {
        index: 0,
        message: { role: "assistant", refusal: null, ...reply.message, content },
        logprobs: null,
        finish_reason: isCutOff ? "length" : (reply.finishReason ?? "stop"),
      },
    ],
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
  };
}

/** What a script may have a model write, about a market or about a chart image. */
type FakeAdvice = Advice & z.infer<typeof chartSchema>;

/** The JSON object that the product asks a model for. */
const answerTo = ({ text, images }: ReceivedChat): Partial<FakeAdvice> =>
  images.length > 0 ? NOTHING_READ : adviceForPrompt(text);

const NOTHING_READ = {
  chart_symbol: null,
  chart_last_price: null,
  chart_timeframe: null,
  chart_lines: [],
  chart_patterns: [],
};

const STOP_ATR = { usual: 1.5, max: 9 } as const;
/** Minimum distance of the stop in percent of the price: a nearer one fails the check of trading costs. */
const MIN_STOP_PERCENT = 0.8;
const REWARD_TO_RISK = 2;

/** Valid advice to buy, with levels from the close and the ATR in the prompt, by default 100 and 1. */
function adviceForPrompt(prompt: string): Advice {
  const price = numberAfter(/last close:?\s*/i, prompt) ?? 100;
  const atr = numberAfter(/atr\s*\(14\):?\s*/i, prompt) ?? price / 100;
  const risk = Math.min(
    Math.max(STOP_ATR.usual * atr, (price * MIN_STOP_PERCENT) / 100),
    STOP_ATR.max * atr,
  );
  return {
    final_signal: "BUY",
    confidence: 72,
    entry: price,
    stop_loss: price - risk,
    take_profit: price + REWARD_TO_RISK * risk,
    rationale: "Price holds above its averages and momentum is rising.",
    key_evidence: ["Close above EMA 20", "RSI above 50"],
    counter_evidence: ["The price is near its last high"],
    market_condition: "uptrend",
    what_to_watch_for: ["A close below the stop"],
    suggested_hold: "4 to 12 hours",
    hold_candles: 12,
    trade_duration_text: "4 to 12 hours",
  };
}

function numberAfter(label: RegExp, text: string): number | undefined {
  const match = new RegExp(`${label.source}(\\d+(?:\\.\\d+)?)`, label.flags).exec(text);
  return match ? Number(match[1]) : undefined;
}

const contentPartSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("image_url"), image_url: z.object({ url: z.string() }) }),
]);

/** The fields of a chat completion request that a compatible server must support. */
export const chatRequestSchema = z.looseObject({
  model: z.string(),
  max_completion_tokens: z.number().int().positive().optional(),
  max_tokens: z.number().int().positive().optional(),
  reasoning_effort: z.string().optional(),
  messages: z
    .array(
      z.object({
        role: z.enum(["system", "developer", "user", "assistant"]),
        content: z.union([z.string(), z.array(contentPartSchema)]),
      }),
    )
    .min(1),
  response_format: z
    .object({
      type: z.enum(["json_schema", "json_object", "text"]),
      json_schema: z
        .object({
          name: z.string(),
          strict: z.boolean().optional(),
          schema: z.record(z.string(), z.unknown()),
        })
        .optional(),
    })
    .optional(),
});
type ChatRequest = z.infer<typeof chatRequestSchema>;

type ReceivedChat = ReturnType<typeof receivedChat>;

export function receivedChat(headers: IncomingHttpHeaders, body: ChatRequest) {
  const parts = body.messages.flatMap(({ content }) =>
    typeof content === "string" ? [{ type: "text" as const, text: content }] : content,
  );
  return {
    headers,
    body,
    text: parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n"),
    images: parts.flatMap((part) => (part.type === "image_url" ? [part.image_url.url] : [])),
  };
}
