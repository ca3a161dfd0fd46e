import {
  type SocketAuth,
  type StreamName,
  sessionEndReasonSchema,
} from "@shared/contract/events.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import type { DefaultEventsMap, Socket } from "socket.io";
import { z } from "zod";
import type { AuthenticatedSession } from "../http/sessions.ts";
import { type EventLogReader, type NumberedEvent, StreamCursor } from "./stream-cursor.ts";

/** Order to close the sockets of a user's sessions, all or all but one. */
export const endSessionOrderSchema = z.object({
  userId: z.string(),
  reason: sessionEndReasonSchema,
  exceptSessionId: z.string().optional(),
});
type EndSessionOrder = z.infer<typeof endSessionOrderSchema>;

/**
 * What goes out. Data was typed when it was told (`Change.tell`), and a name that a newer release wrote goes
 * out as well: leaving it out would be a gap.
 */
export interface PushedEvents {
  [name: string]: (payload: unknown) => void;
}

/** The data of an event as a client gets it at this moment. */
export type PresentEvent = (event: { name: string; data: unknown }) => unknown;

const MAX_TIMER_MS = 2 ** 31 - 1;

/** One open socket: which streams it may read, and how far it has got in each. */
export class PushSession {
  readonly streams: readonly string[];
  readonly #socket: Socket<DefaultEventsMap, PushedEvents>;
  readonly #session: AuthenticatedSession;
  readonly #log: EventLogReader;
  readonly #logger: Logger;
  readonly #now: () => Date;
  readonly #present: PresentEvent;
  readonly #cursors = new Map<string, StreamCursor>();
  #expiry: NodeJS.Timeout | undefined;
  #dropped = false;

  constructor(options: {
    socket: Socket<DefaultEventsMap, PushedEvents>;
    session: AuthenticatedSession;
    log: EventLogReader;
    logger: Logger;
    now: () => Date;
    present: PresentEvent;
  }) {
    this.#socket = options.socket;
    this.#session = options.session;
    this.#log = options.log;
    this.#logger = options.logger;
    this.#now = options.now;
    this.#present = options.present;
    const own = userStream(options.session.user._id);
    this.streams = options.session.user.role === "admin" ? [own, ADMINS_STREAM] : [own];
  }

  /**
   * Starts sending: first what was missed since `since`, then what comes. The token is checked once more,
   * because an order to end its session may have passed between its first check and this moment.
   */
  open(options: { since: SocketAuth["since"]; recheck: () => Promise<unknown> }): void {
    const lifetimeMs = this.#session.expiresAt.getTime() - this.#now().getTime();
    this.#expiry = setTimeout(() => this.#drop(), Math.max(0, Math.min(lifetimeMs, MAX_TIMER_MS)));
    this.#guard(this.#openStreams(options));
  }

  hear(event: NumberedEvent): void {
    const reading = this.#cursors.get(event.stream)?.hear(event);
    if (reading) this.#guard(reading);
  }

  catchUp(): void {
    for (const cursor of this.#cursors.values()) this.#guard(cursor.catchUp());
  }

  endIfOrdered(order: EndSessionOrder): void {
    if (order.userId !== this.#session.user._id.toString()) return;
    if (order.exceptSessionId === this.#session.sessionId) return;
    this.#socket.emit("session:ended", { reason: order.reason });
    this.#socket.disconnect();
  }

  close(): void {
    clearTimeout(this.#expiry);
    for (const cursor of this.#cursors.values()) cursor.close();
  }

  async #openStreams(options: {
    since: SocketAuth["since"];
    recheck: () => Promise<unknown>;
  }): Promise<void> {
    await Promise.all(this.streams.map((stream) => this.#openStream(stream, options.since)));
    await options.recheck();
  }

  async #openStream(stream: string, since: SocketAuth["since"]): Promise<void> {
    const name: StreamName = stream === ADMINS_STREAM ? "admins" : "user";
    const cursor = await StreamCursor.open({
      stream,
      since: since?.[name],
      log: this.#log,
      send: (event) => this.#send(name, event),
      resync: (seq) =>
        this.#socket.emit("resync", {
          stream: name,
          seq,
          at: this.#now().toISOString(),
          data: {},
        }),
    });
    this.#cursors.set(stream, cursor);
    await cursor.catchUp();
  }

  #send(stream: StreamName, event: NumberedEvent): void {
    const { name, seq, requestId } = event;
    const data = this.#present(event);
    this.#socket.emit(name, { stream, seq, at: event.at.toISOString(), data });
    if (requestId) this.#logger.info({ requestId, name, seq }, "pushed");
  }

  /** A session that cannot be served is dropped: its client reconnects and goes on from its last number. */
  #guard(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      if (this.#dropped) return;
      if (!(error instanceof AppError)) {
        this.#logger.warn({ err: error }, "socket dropped, its client will reconnect");
      }
      this.#drop();
    });
  }

  #drop(): void {
    this.#dropped = true;
    this.#socket.conn.close();
  }
}
