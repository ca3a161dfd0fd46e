import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { type HttpFake, readText, sendHtml, sendJson, startHttpFake } from "./fake-http.ts";

const MAX_CONTENT_LENGTH = 2_000;
const MAX_EMBEDS = 10;

const messageSchema = z.object({
  content: z.string().default(""),
  embeds: z.array(z.unknown()).default([]),
  allowed_mentions: z.object({ parse: z.array(z.string()) }).optional(),
  flags: z.number().optional(),
});

type DiscordInput = z.infer<typeof messageSchema>;

interface DiscordError {
  code: number;
  message?: string;
  embeds?: readonly string[];
  errors?: object;
}

interface PostedToDiscord {
  content: string;
  /** Whether everyone in the channel was notified. */
  notifiedEveryone: boolean;
  threadId: string | null;
}

/** How Discord, or the proxy before it, refuses a message. `null` never answers. */
type DiscordAnswer =
  | { status: number; code?: number; headers?: Record<string, string>; retryAfter?: number }
  | "html"
  | null;

export interface FakeDiscord extends HttpFake {
  /** Of the webhook that there is. */
  webhookUrl: string;
  posted: PostedToDiscord[];
  /** Answers the next messages with these, in order, and later ones as Discord does. */
  answer(...answers: DiscordAnswer[]): void;
  /** Deletes the webhook. */
  deleteWebhook(): void;
}

const ID = "1234567890123456789";
const TOKEN = "a-secret_token-of-the-fake-webhook";

/** Discord's incoming webhooks: `POST /api/webhooks/<id>/<token>`, with its checks and errors. */
export async function startFakeDiscord(): Promise<FakeDiscord> {
  const posted: PostedToDiscord[] = [];
  const answers: DiscordAnswer[] = [];
  let id: string | null = ID;
  const fake = await startHttpFake(async (request, response) => {
    if (answers.length > 0) return refuse(response, answers.shift());
    const { pathname, searchParams } = new URL(request.url ?? "", "http://discord");
    const unknown = unknownOf(pathname, id);
    if (unknown) return sendJson(response, unknown, unknown.code === 50_027 ? 401 : 404);
    const message = await readMessage(request);
    if ("code" in message) return sendJson(response, message, 400);
    const notifiedEveryone = notifiesEveryone(message);
    posted.push({ ...message, notifiedEveryone, threadId: searchParams.get("thread_id") });
    if (searchParams.get("wait") !== "true") return void response.writeHead(204).end();
    sendJson(response, { id: String(posted.length), type: 0, webhook_id: id });
  });
  return {
    ...fake,
    webhookUrl: `${fake.url}/api/webhooks/${ID}/${TOKEN}`,
    posted,
    answer: (...next) => void answers.push(...next),
    deleteWebhook: () => {
      id = null;
    },
  };
}

/** Why a path leads to no webhook. */
function unknownOf(pathname: string, known: string | null) {
  const [, id, token] = /^\/api(?:\/v\d+)?\/webhooks\/(\d+)\/([\w-]+)$/.exec(pathname) ?? [];
  if (!id) return { message: "404: Not Found", code: 0 };
  if (id !== known) return { message: "Unknown Webhook", code: 10_015 };
  return token === TOKEN ? null : { message: "Invalid Webhook Token", code: 50_027 };
}

const INVALID_JSON = { message: "The request body contains invalid JSON.", code: 50_109 };

const notifiesEveryone = ({ content, allowed_mentions }: DiscordInput): boolean =>
  (allowed_mentions?.parse.includes("everyone") ?? true) && /@(everyone|here)/.test(content);

function refuse(response: ServerResponse, answer: DiscordAnswer | undefined): void {
  if (!answer) return;
  if (answer === "html") return sendHtml(response, 429);
  const { status, code = 0, headers = {}, retryAfter } = answer;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (retryAfter === undefined) {
    return sendJson(response, { message: "An error of the test", code }, status);
  }
  const body = { message: "You are being rate limited.", retry_after: retryAfter, global: false };
  sendJson(response, body, status);
}

async function readMessage(request: IncomingMessage): Promise<DiscordInput | DiscordError> {
  const text = await readText(request);
  const isJson = request.headers["content-type"] === "application/json";
  const message = isJson ? messageSchema.safeParse(JSON.parse(text)).data : undefined;
  return message ? (problemOf(message) ?? message) : INVALID_JSON;
}

function problemOf({ content, embeds }: DiscordInput): DiscordError | null {
  if (content.trim() === "" && embeds.length === 0) {
    return { message: "Cannot send an empty message", code: 50_006 };
  }
  if (embeds.length > MAX_EMBEDS) return { code: 0, embeds: ["Must be 10 or fewer in length."] };
  if (content.length <= MAX_CONTENT_LENGTH) return null;
  const tooLong = { code: "BASE_TYPE_MAX_LENGTH", message: "Must be 2000 or fewer in length." };
  return {
    message: "Invalid Form Body",
    code: 50_035,
    errors: { content: { _errors: [tooLong] } },
  };
}
