import { randomUUID } from "node:crypto";
import { errorBodySchema } from "@shared/contract/errors.ts";
import { PRODUCT_SYMBOLS } from "@shared/contract/instruments.ts";
import { signalAcceptedSchema } from "@shared/contract/signal.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { multipartForm, PushClient } from "@shared/testing/api-client.ts";
import { type ApiAnswer, callApi } from "@shared/testing/call-api.ts";
import type { ServiceSlot } from "./processes.ts";
import { until } from "./until.ts";

export interface SignalRequestOptions {
  symbol: string;
  timeframe: string;
  limit?: string;
  image?: Buffer;
  /** Wait for the result instead of taking a 202. */
  waits?: boolean;
}

type Result =
  | { kind: "accepted"; status: number; signalId: string }
  | { kind: "refused"; status: number; code: string }
  | { kind: "lost" };
export type Reply = Result & { tookMs: number };

export interface Asked {
  key: string;
  request: SignalRequestOptions;
  replies: Reply[];
}

/** A trader who uses REST and push as the browser does. */
export class Trader {
  readonly username: string;
  readonly token: string;
  readonly userId: string;
  readonly asked: Asked[] = [];
  readonly sockets: PushClient[] = [];

  constructor({ _id, username }: Pick<UserRecord, "_id" | "username">, token: string) {
    this.username = username;
    this.token = token;
    this.userId = _id.toString();
  }

  async ask(via: ServiceSlot, request: SignalRequestOptions): Promise<Asked> {
    const asked: Asked = { key: randomUUID(), request, replies: [] };
    this.asked.push(asked);
    await this.askAgain(via, asked);
    return asked;
  }

  async askAgain({ url }: ServiceSlot, { key, request, replies }: Asked): Promise<Reply> {
    const { image, waits, ...fields } = request;
    const sentAt = performance.now();
    const result = await callApi(url + (image ? "/get-signal-with-image" : "/get-signal"), {
      token: this.token,
      headers: { "Idempotency-Key": key, ...(!waits && { Prefer: "respond-async" }) },
      body: image ? multipartForm({ ...fields, chart_image: image }) : fields,
    }).then(readAnswer, (): Result => ({ kind: "lost" }));
    const reply = { ...result, tookMs: Math.round(performance.now() - sentAt) };
    replies.push(reply);
    return reply;
  }

  insist(via: ServiceSlot, asked: Asked, withinMs = 60_000): Promise<string> {
    return until(
      async () => {
        const reply = await this.askAgain(via, asked);
        return reply.kind === "accepted" ? reply.signalId : undefined;
      },
      { what: `an answer to ${asked.key}`, withinMs },
    );
  }

  /** Opens a socket that gets everything from the first event on. */
  async connect({ url }: ServiceSlot): Promise<PushClient> {
    const client = new PushClient({ url, token: this.token, since: { user: 0, admins: 0 } });
    this.sockets.push(client);
    await until(() => client.socket.connected, { what: "a socket" });
    return client;
  }
}

/** A 504 has its signal in `Location`: it was accepted as well. */
function readAnswer({ status, headers, body }: ApiAnswer): Result {
  const location = headers.get("location");
  if (status === 504 && location) {
    return { kind: "accepted", status, signalId: location.slice("/signals/".length) };
  }
  if (status >= 400) return { kind: "refused", status, code: errorBodySchema.parse(body).code };
  return { kind: "accepted", status, signalId: signalAcceptedSchema.parse(body).signal_id };
}

/** Crypto trades around the clock: in a closed market, a request would be answered without the AI. */
const SYMBOLS = PRODUCT_SYMBOLS.filter((symbol) => symbol.endsWith("/USDT"));

/** Has no common factor with the number of markets, so that all pairs occur. */
const LIMITS = 241;

/** Makes fields of signal requests, different each time, so that no two share an analysis. */
export function createMarketSequence(timeframes: readonly string[]) {
  const markets = timeframes.flatMap((timeframe) =>
    SYMBOLS.map((symbol) => [symbol, timeframe] as const),
  );
  let used = 0;
  return () => {
    const [symbol = "", timeframe = ""] = markets[used % markets.length] ?? [];
    used += 1;
    return { symbol, timeframe, limit: String(10 + (used % LIMITS)) };
  };
}
