import type { ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import { sendHtml, sendJson, stallBody } from "./stand-in-http.ts";
import { adviceForPrompt, type StandInAdvice } from "./stand-in-openai-advice.ts";
import type { ReceivedChat } from "./stand-in-openai-chat.ts";

/** What the stand-in does with a request. */
export type OpenAiBehaviour =
  | {
      kind: "advice";
      advice?: Partial<StandInAdvice>;
      delayMs?: number;
      /** The answer is held back until then. */
      heldUntil?: Promise<unknown>;
      fenced?: boolean;
    }
  | { kind: "content"; content: string; finishReason?: string }
  | { kind: "refusal" }
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
      return sendJson(response, completion(chat, { message: { content } }));
    }
    case "content": {
      const { content, finishReason } = behaviour;
      return sendJson(response, completion(chat, { message: { content }, finishReason }));
    }
    case "refusal":
      return sendJson(
        response,
        completion(chat, { message: { content: null, refusal: "I can't help with that." } }),
      );
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

function completion(
  { body, text }: ReceivedChat,
  reply: {
    message: { content: string | null; refusal?: string };
    finishReason?: string | undefined;
  },
) {
  const promptTokens = Math.ceil(text.length / 4);
  const completionTokens = Math.ceil((reply.message.content?.length ?? 0) / 4);
  return {
    id: "chatcmpl-stand-in",
    object: "chat.completion",
    created: Math.floor(Date.now() / 1_000),
    model: body.model,
    choices: [
      {
        index: 0,
        message: { role: "assistant", refusal: null, ...reply.message },
        logprobs: null,
        finish_reason: reply.finishReason ?? "stop",
      },
    ],
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
  };
}
