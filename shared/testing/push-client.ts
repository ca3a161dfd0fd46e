import { type EventEnvelope, envelopeSchema } from "@shared/contract/events.ts";
import { io, type Socket } from "socket.io-client";

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
