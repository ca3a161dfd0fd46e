import { randomUUID } from "node:crypto";
import { errorBodySchema } from "@shared/contract/errors.ts";
import { signalAcceptedSchema } from "@shared/contract/signal.ts";
import { multipartForm, PushClient } from "@shared/testing/api-client.ts";
import { type ApiAnswer, type ApiCall, callApi } from "./api.ts";
import type { ServiceSlot } from "./service-slot.ts";
import { until } from "./until.ts";

/** What a trader wants to know. */
export interface SignalRequestOptions {
  symbol: string;
  timeframe: string;
  /** How many candles the AI gets. */
  limit?: string;
  /** A picture, which costs a credit. */
  picture?: Buffer;
  /** Wait for the result instead of taking a 202. */
  waits?: boolean;
}

/** What came of one try of a request: an answer that names its signal, another answer, or none. */
export type Reply =
  | { kind: "accepted"; status: number; signalId: string; tookMs: number }
  | { kind: "refused"; status: number; code: string; tookMs: number }
  | { kind: "lost"; tookMs: number };

/** One request with all that was answered to it, however often it was sent. */
export interface Asked {
  key: string;
  wish: SignalRequestOptions;
  replies: Reply[];
}

/** A trader with his token, his requests and his sockets, who uses REST and push as the browser does. */
export class Trader {
  readonly username: string;
  readonly token: string;
  readonly userId: string;
  /** Everything that he ever asked for. */
  readonly asked: Asked[] = [];
  readonly sockets: PushClient[] = [];

  constructor(options: { username: string; token: string; userId: string }) {
    this.username = options.username;
    this.token = options.token;
    this.userId = options.userId;
  }

  /** Asks for a signal, once. */
  async ask(via: ServiceSlot, wish: SignalRequestOptions): Promise<Asked> {
    const asked: Asked = { key: randomUUID(), wish, replies: [] };
    this.asked.push(asked);
    await this.askAgain(via, asked);
    return asked;
  }

  /** Sends the same request once more, with the same idempotency key. */
  async askAgain(via: ServiceSlot, asked: Asked): Promise<Reply> {
    const sentAt = performance.now();
    const tookMs = () => Math.round(performance.now() - sentAt);
    const reply = await callApi(this.#signalCall(via, asked)).then(
      (answer): Reply => ({ ...readAnswer(answer), tookMs: tookMs() }),
      (): Reply => ({ kind: "lost", tookMs: tookMs() }),
    );
    asked.replies.push(reply);
    return reply;
  }

  /** Sends the same request until it is accepted, as a patient user does. */
  insist(via: ServiceSlot, asked: Asked, withinMs = 60_000): Promise<string> {
    return until(
      async () => {
        const reply = await this.askAgain(via, asked);
        return reply.kind === "accepted" ? reply.signalId : undefined;
      },
      { what: `an answer to ${asked.key}`, withinMs },
    );
  }

  /** Opens a socket that gets everything from his first event on. */
  async connect(via: ServiceSlot): Promise<PushClient> {
    const client = new PushClient({
      url: via.url,
      token: this.token,
      since: { user: 0, admins: 0 },
    });
    this.sockets.push(client);
    await until(() => client.socket.connected, { what: "a socket" });
    return client;
  }

  disconnect(): void {
    for (const client of this.sockets.splice(0)) client.close();
  }

  #signalCall(via: ServiceSlot, { key, wish }: Asked): ApiCall {
    const { picture, waits, ...fields } = wish;
    return {
      via,
      path: picture ? "/get-signal-with-image" : "/get-signal",
      method: "POST",
      token: this.token,
      headers: { "Idempotency-Key": key, ...(!waits && { Prefer: "respond-async" }) },
      body: picture ? multipartForm({ ...fields, chart_image: picture }) : fields,
    };
  }
}

type AnsweredReply =
  | Omit<Extract<Reply, { kind: "accepted" }>, "tookMs">
  | Omit<Extract<Reply, { kind: "refused" }>, "tookMs">;

/** A 504 names its signal in `Location`: it was accepted as well. */
function readAnswer({ status, headers, body }: ApiAnswer): AnsweredReply {
  const location = headers.get("location");
  if (status === 504 && location) {
    return { kind: "accepted", status, signalId: location.slice("/signals/".length) };
  }
  if (status >= 400) return { kind: "refused", status, code: errorBodySchema.parse(body).code };
  return { kind: "accepted", status, signalId: signalAcceptedSchema.parse(body).signal_id };
}
