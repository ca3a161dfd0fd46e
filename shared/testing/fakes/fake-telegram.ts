import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { type HttpFake, readText, sendJson, startHttpFake } from "./fake-http.ts";
import { FakeTelegramChannel } from "./fake-telegram-channel.ts";

export const FAKE_BOT_NAME = "signals_bot";

const pollSchema = z.object({ offset: z.number().default(0), timeout: z.number().default(0) });

const sentSchema = z.object({
  chat_id: z.coerce.string(),
  text: z.string().min(1).max(4_096),
  parse_mode: z.literal("HTML"),
  link_preview_options: z.object({ is_disabled: z.literal(true) }),
  reply_parameters: z.object({ message_id: z.number() }).optional(),
});

export interface TelegramSent {
  chatId: string;
  /** HTML. */
  text: string;
  /** By the monotonic clock. */
  atMs: number;
}

/** An error of Telegram; `null` never answers. */
type TelegramAnswer = { status: number; retryAfterSeconds?: number } | null;

interface Update {
  update_id: number;
  message?: object;
}

export interface FakeTelegram extends HttpFake {
  /** Messages that arrived in chats, in order. */
  sent: TelegramSent[];
  /** All calls, with those that were refused. */
  calls: { method: string; status: number }[];
  /** Answers the next messages with these errors, in order, and later ones with success. */
  answer(...answers: TelegramAnswer[]): void;
  write(chatId: number, text: string): void;
  /** A private channel of which the bot is an administrator; its id is -1001. */
  channel: FakeTelegramChannel;
  /** Refuses calls of any method: with an error, or null to accept. */
  refuse: (method: string) => Exclude<TelegramAnswer, null> | null;
  /** Gives again what the bot has read last, as if it were unconfirmed. */
  repeatUpdates(): void;
}

/** The Bot API of Telegram, for the bot with this token. */
export async function startFakeTelegram(token: string): Promise<FakeTelegram> {
  const bot = new Bot(Number(token.split(":")[0]));
  const fake = await startHttpFake(async (request, response) => {
    const [, method = ""] = request.url?.split(`/bot${token}/`) ?? [];
    const respond = (status: number, body: object) => {
      bot.calls.push({ method, status });
      sendJson(response, { ok: status === 200, ...body }, status);
    };
    await bot.call(method, { request, response, respond });
  });
  return {
    ...fake,
    sent: bot.sent,
    calls: bot.calls,
    channel: bot.channel,
    get refuse() {
      return bot.refuse;
    },
    set refuse(refuse) {
      bot.refuse = refuse;
    },
    answer: (...answers) => bot.answers.push(...answers),
    write: (chatId, text) => bot.write(chatId, text),
    repeatUpdates: () => bot.repeatUpdates(),
  };
}

interface Call {
  request: IncomingMessage;
  response: ServerResponse;
  respond: (status: number, body: object) => void;
}

const refusal = (error_code: number, description: string) => ({ error_code, description });

class Bot {
  readonly sent: TelegramSent[] = [];
  readonly calls: FakeTelegram["calls"] = [];
  readonly answers: TelegramAnswer[] = [];
  readonly channel: FakeTelegramChannel;
  refuse: FakeTelegram["refuse"] = () => null;
  #updates: Update[] = [];
  #read: Update[] = [];
  #nextId = 1_000;
  /** Ends the wait of a reader. */
  #endWait: (how: "update" | "conflict") => void = () => undefined;

  constructor(botId: number) {
    const report = (update: object) => {
      this.#add([{ update_id: this.#nextId, ...update }]);
      this.#nextId += 1;
    };
    this.channel = new FakeTelegramChannel({ id: -1001, botId, report });
  }

  async call(method: string, call: Call): Promise<void> {
    const text = await readText(call.request);
    const body: unknown = text === "" ? {} : JSON.parse(text);
    const refused = this.refuse(method);
    if (refused) return this.#fail(refused, call);
    const answer = this.channel.call(method, body);
    if (answer && "error" in answer) return call.respond(400, refusal(400, answer.error));
    if (answer) return call.respond(200, answer);
    if (method === "getMe") {
      const result = { id: 1, is_bot: true, first_name: "Signals", username: FAKE_BOT_NAME };
      return call.respond(200, { result });
    }
    if (method === "getUpdates") return this.#getUpdates(pollSchema.parse(body), call);
    if (method === "sendMessage") return this.#sendMessage(sentSchema.parse(body), call);
    call.respond(404, refusal(404, "Not Found"));
  }

  write(chatId: number, text: string): void {
    const chat = { id: chatId, type: "private", first_name: "Ann" };
    const message = { message_id: this.#nextId, date: 0, chat, from: chat, text };
    this.#add([{ update_id: this.#nextId, message }]);
    this.#nextId += 1;
  }

  repeatUpdates(): void {
    this.#add(this.#read);
  }

  #add(updates: readonly Update[]): void {
    this.#updates = [...updates, ...this.#updates];
    this.#updates.sort((one, other) => one.update_id - other.update_id);
    this.#endWait("update");
  }

  /** A second reader ends the wait of the first with a conflict. */
  async #getUpdates({ offset, timeout }: z.infer<typeof pollSchema>, call: Call): Promise<void> {
    this.#endWait("conflict");
    this.#updates = this.#updates.filter(({ update_id }) => update_id >= offset);
    if (this.#updates.length === 0) {
      const how = await new Promise((resolve) => {
        const timer = setTimeout(resolve, timeout * 1_000, "timeout");
        const end = (reason: string) => {
          clearTimeout(timer);
          resolve(reason);
        };
        this.#endWait = end;
        call.response.once("close", () => end("closed"));
      });
      if (how === "conflict") return call.respond(409, refusal(409, CONFLICT));
    }
    if (call.response.destroyed) return;
    this.#read = this.#updates.slice(0, 100);
    call.respond(200, { result: this.#read });
  }

  #fail(
    { status, retryAfterSeconds: retry_after }: Exclude<TelegramAnswer, null>,
    { respond }: Pick<Call, "respond">,
  ): void {
    const parameters = retry_after === undefined ? {} : { parameters: { retry_after } };
    respond(status, { ...refusal(status, "An error of the test"), ...parameters });
  }

  async #sendMessage(sent: z.infer<typeof sentSchema>, { respond }: Call): Promise<void> {
    const answer = this.answers.length > 0 ? this.answers.shift() : undefined;
    if (answer === null) return;
    if (answer) return this.#fail(answer, { respond });
    const { chat_id: chatId, text, reply_parameters: reply } = sent;
    if (chatId === String(this.channel.id)) {
      const post = this.channel.post(text, reply?.message_id);
      const chat = { id: this.channel.id, type: "channel", title: "Signals" };
      return respond(200, { result: { message_id: post.id, date: 0, chat, text } });
    }
    this.sent.push({ chatId, text, atMs: performance.now() });
    const chat = { id: Number(chatId), type: "private", first_name: "Ann" };
    respond(200, { result: { message_id: this.sent.length, date: 0, chat, text } });
  }
}

const CONFLICT = "Conflict: terminated by other getUpdates request";
