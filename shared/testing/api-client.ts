import { type EventEnvelope, envelopeSchema } from "@shared/contract/events.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import type { Settings } from "@shared/runtime/settings.ts";
import { io, type Socket } from "socket.io-client";
import { vi } from "vitest";
import { signTokenFor } from "./factories.ts";

/** How long a test waits for what is pushed. */
export const PUSH_WAIT = { timeout: 15_000, interval: 20 };

/** An answer of the API with its JSON already read. */
interface JsonAnswer {
  status: number;
  body: unknown;
}

/** Calls a server and opens sockets to it, as whichever user. */
export class ApiClient {
  readonly #url: string;
  readonly #settings: Pick<Settings, "JWT_SECRET">;
  readonly #sockets: PushClient[] = [];

  constructor(options: { url: string; settings: Pick<Settings, "JWT_SECRET"> }) {
    this.#url = options.url;
    this.#settings = options.settings;
  }

  /** Calls as `user`, or as a visitor. */
  async call(path: string, options: RequestInit & { user?: UserRecord } = {}): Promise<JsonAnswer> {
    const { user, ...init } = options;
    const headers = new Headers(init.headers);
    if (user) headers.set("Authorization", `Bearer ${signTokenFor(user, this.#settings)}`);
    const answer = await fetch(this.#url + path, { ...init, headers });
    return { status: answer.status, body: await answer.json() };
  }

  /** `POST` as `user`, with or without a body. */
  post(user: UserRecord, path: string, body?: BodyInit): Promise<JsonAnswer> {
    return this.call(path, { method: "POST", user, ...(body && { body }) });
  }

  /** A socket of `user`, open until `close`, which gets all that was told to him from the first event on. */
  async connect(user: UserRecord): Promise<PushClient> {
    const client = new PushClient({
      url: this.#url,
      token: signTokenFor(user, this.#settings),
      since: { user: 0, admins: 0 },
    });
    this.#sockets.push(client);
    await vi.waitUntil(() => client.socket.connected, PUSH_WAIT);
    return client;
  }

  close(): void {
    for (const client of this.#sockets.splice(0)) client.close();
  }
}

/** A JSON body for `fetch`, with its type. */
export const jsonBody = (value: unknown): Blob =>
  new Blob([JSON.stringify(value)], { type: "application/json" });

/** One pushed event as a client sees it. */
export type ReceivedEvent = EventEnvelope<unknown> & { name: string };

/**
 * A client that behaves as the browser does: it keeps every numbered event, and when it reconnects it says the
 * last number it has of each stream.
 */
export class PushClient {
  readonly received: ReceivedEvent[] = [];
  readonly other: { name: string; payload: unknown }[] = [];
  readonly socket: Socket;
  readonly #last: { user?: number; admins?: number } = {};

  /** @param options.reconnectionDelay and `reconnectionDelayMax`: how patiently it reconnects, in milliseconds */
  constructor(options: {
    url: string;
    token: string;
    since?: { user?: number; admins?: number };
    reconnectionDelay?: number;
    reconnectionDelayMax?: number;
  }) {
    const { since, reconnectionDelay = 20, reconnectionDelayMax = 100 } = options;
    Object.assign(this.#last, since);
    this.socket = io(options.url, {
      transports: ["websocket"],
      reconnectionDelay,
      reconnectionDelayMax,
      forceNew: true,
      auth: (give) => give({ token: options.token, since: { ...this.#last } }),
    });
    this.socket.onAny((name: string, payload: unknown) => this.#keep(name, payload));
  }

  /** Numbers received of one stream, in the order of their arrival. */
  seqs(stream: "user" | "admins"): number[] {
    return this.received.filter((event) => event.stream === stream).map((event) => event.seq);
  }

  named(name: string): ReceivedEvent[] {
    return this.received.filter((event) => event.name === name);
  }

  /** Cuts the connection as a lost network does; the client reconnects by itself. */
  drop(): void {
    this.socket.io.engine.close();
  }

  close(): void {
    this.socket.close();
  }

  #keep(name: string, payload: unknown): void {
    const parsed = envelopeSchema.safeParse(payload);
    if (!parsed.success) {
      this.other.push({ name, payload });
      return;
    }
    const { stream, seq, at, data } = parsed.data;
    this.received.push({ name, stream, seq, at, data });
    this.#last[stream] = seq;
  }
}

/** What a form field holds: a text, or the bytes of a file; several of them under one name as a list. */
export type FormValue = string | Buffer | readonly (string | Buffer)[];

/** A multipart form; its files are called `picture.png` and say that they are PNGs, whatever they hold. */
export function multipartForm(fields: Record<string, FormValue>): FormData {
  const form = new FormData();
  for (const [name, values] of Object.entries(fields)) {
    for (const value of [values].flat()) {
      if (typeof value === "string") form.append(name, value);
      else
        form.append(name, new Blob([new Uint8Array(value)], { type: "image/png" }), "picture.png");
    }
  }
  return form;
}
