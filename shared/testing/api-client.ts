import { type EventEnvelope, envelopeSchema } from "@shared/contract/events.ts";
import { io, type Socket } from "socket.io-client";

export const PUSH_WAIT = { timeout: 15_000, interval: 50 };

export type ReceivedEvent = EventEnvelope<unknown> & { name: string };

/** A client like the browser's: keeps every event, and reconnects with the last number of each stream. */
export class PushClient {
  readonly received: ReceivedEvent[] = [];
  readonly other: { name: string; payload: unknown }[] = [];
  readonly socket: Socket;
  readonly #last: { user?: number; admins?: number } = {};

  /** @param options.reconnectionDelay and `reconnectionDelayMax` in milliseconds */
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

  /** Numbers received of one stream, in order. */
  seqs(stream: "user" | "admins"): number[] {
    return this.received.filter((event) => event.stream === stream).map((event) => event.seq);
  }

  named(name: string): ReceivedEvent[] {
    return this.received.filter((event) => event.name === name);
  }

  /** Drops the connection; the client reconnects. */
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

export type FormValue = string | Buffer | readonly (string | Buffer)[];

/** A multipart form. Its files are called `image.png` with the type of PNGs, whatever their content. */
export function multipartForm(fields: Record<string, FormValue>): FormData {
  const form = new FormData();
  for (const [name, values] of Object.entries(fields)) {
    for (const value of [values].flat()) {
      if (typeof value === "string") form.append(name, value);
      else form.append(name, new Blob([new Uint8Array(value)], { type: "image/png" }), "image.png");
    }
  }
  return form;
}
