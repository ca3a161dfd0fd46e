import type { ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import { sendHtml, sendJson, stallBody } from "./stand-in-http.ts";
import { adviceForPrompt, type StandInAdvice } from "./stand-in-openai-advice.ts";
import type { ReceivedChat } from "./stand-in-openai-chat.ts";

/** Tokens that a reply says it used; estimated from the texts unless given. */
interface Usage {
  usage?: { promptTokens: number; completionTokens: number };
}

/** What the stand-in does with a request. */
export type OpenAiBehaviour =
  | (Usage & {
      kind: "advice";
      advice?: Partial<StandInAdvice>;
      delayMs?: number;
      /** The answer is held back until then. */
      heldUntil?: Promise<unknown>;
      fenced?: boolean;
    })
  | (Usage & { kind: "content"; content: string; finishReason?: string })
  | (Usage & { kind: "refusal"; heldUntil?: Promise<unknown> })
  | { kind: "no-choices" }
  | { kind: "status"; status: number; message?: string; code?: string; retryAfterSeconds?: number }
  | { kind: "html" }
  | { kind: "broken-json" }
  | { kind: "stalled-headers" }
  | { kind: "stalled-body" }
  | { kind: "down" };

/** Answers one chat as the behaviour says. */
export async function answerChat(
  response: ServerResponse,
  { chat, behaviour }: { chat: ReceivedChat; behaviour: OpenAiBehaviour },
): Promise<void> {
  switch (behaviour.kind) {
    case "advice": {
      await behaviour.heldUntil;
      await setTimeout(behaviour.delayMs ?? 0);
      const json = JSON.stringify({ ...adviceForPrompt(chat.text), ...behaviour.advice });
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
    case "html":
      return sendHtml(response);
    case "broken-json":
      return sendJson(response, '{"id":"chatcmpl-1","object":"chat.completion","choi');
    case "stalled-headers":
      return;
    case "stalled-body":
      return stallBody(response);
    case "down":
      response.destroy();
  }
}

/** The error of an OpenAI-compatible server, in its real shape. */
export function sendError(
  response: ServerResponse,
  error: { status: number; message?: string; code?: string; retryAfterSeconds?: number },
): void {
  const { status, message = "The server had an error.", code = null, retryAfterSeconds } = error;
  if (retryAfterSeconds !== undefined) response.setHeader("retry-after", String(retryAfterSeconds));
  const type = status === 429 ? "rate_limit_error" : "server_error";
  sendJson(response, { error: { message, type, param: null, code } }, status);
}

/** Characters of a token, as far as the stand-in counts. */
const TOKEN_LENGTH = 4;

/** A chat completion. Content beyond `max_completion_tokens` is cut off. */
function completion(
  { body, text }: ReceivedChat,
  reply: Usage & {
    message: { content: string | null; refusal?: string };
    finishReason?: string | undefined;
  },
) {
  const { max_completion_tokens: maxTokens = Number.POSITIVE_INFINITY } = body;
  const content = reply.message.content?.slice(0, maxTokens * TOKEN_LENGTH) ?? null;
  const isCutOff = content !== reply.message.content;
  const { promptTokens, completionTokens } = reply.usage ?? {
    promptTokens: Math.ceil(text.length / TOKEN_LENGTH),
    completionTokens: Math.ceil((content?.length ?? 0) / TOKEN_LENGTH),
  };
  return {
    id: "chatcmpl-stand-in",
    object: "chat.completion",
    created: Math.floor(Date.now() / 1_000),
    model: body.model,
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
