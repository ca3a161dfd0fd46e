import { type HttpStandIn, readText, startHttpStandIn } from "./stand-in-http.ts";
import { answerChat, type OpenAiBehaviour, sendError } from "./stand-in-openai-answers.ts";
import { chatRequestSchema, type ReceivedChat, receivedChat } from "./stand-in-openai-chat.ts";

/**
 * Decides on each request anew, so that a test can answer the first and the second question
 * differently.
 */
export type OpenAiScript = (chat: ReceivedChat, index: number) => OpenAiBehaviour;

export interface StandInOpenAi extends HttpStandIn {
  /** Address to give as `OPENAI_BASE_URL`. */
  baseUrl: string;
  readonly chats: readonly ReceivedChat[];
  behave(behaviour: OpenAiBehaviour | OpenAiScript): void;
  /** Gives sound advice again, and nothing has been asked. */
  reset(): void;
}

const ADVICE: OpenAiBehaviour = { kind: "advice" };

/**
 * Starts a stand-in for an OpenAI-compatible server: `POST /v1/chat/completions` in the real shape.
 */
export async function startStandInOpenAi(): Promise<StandInOpenAi> {
  const chats: ReceivedChat[] = [];
  let script: OpenAiScript = () => ADVICE;
  const server = await startHttpStandIn(async (request, response) => {
    if (request.method !== "POST" || request.url !== "/v1/chat/completions") {
      return sendError(response, { status: 404, message: "Unknown request URL" });
    }
    const parsed = chatRequestSchema.safeParse(JSON.parse(await readText(request)));
    if (!parsed.success) {
      return sendError(response, { status: 400, message: parsed.error.message });
    }
    const chat = receivedChat(request.headers, parsed.data);
    chats.push(chat);
    await answerChat(response, { chat, behaviour: script(chat, chats.length - 1) });
  });
  return {
    ...server,
    baseUrl: `${server.url}/v1`,
    chats,
    behave: (behaviour) => {
      script = typeof behaviour === "function" ? behaviour : () => behaviour;
    },
    reset: () => {
      script = () => ADVICE;
      chats.length = 0;
    },
  };
}
