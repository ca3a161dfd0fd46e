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

/** Closes the sockets of a user's sessions, except one session. */
export const sessionEndSchema = z.object({
  userId: z.string(),
  reason: sessionEndReasonSchema,
  exceptSessionId: z.string().optional(),
});
type SessionEnd = z.infer<typeof sessionEndSchema>;

/** Events of newer releases are pushed too, because leaving them out would be a gap. */
export interface PushedEvents {
  [name: string]: (payload: unknown) => void;
}

export type PresentEvent = (event: { name: string; data: unknown }) => unknown;

const MAX_TIMER_MS = 2 ** 31 - 1;

/** One socket with a cursor for each stream that it may read. */
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
  #isClosed = false;

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

  /** Pushes the events after `since`, then new ones. Checks the token again, because its session may have ended meanwhile. */
  open(options: { since: SocketAuth["since"]; recheck: () => Promise<unknown> }): void {
    const lifetimeMs = this.#session.expiresAt.getTime() - this.#now().getTime();
    this.#expiry = setTimeout(
      () => this.#disconnect(),
      Math.max(0, Math.min(lifetimeMs, MAX_TIMER_MS)),
    );
    this.#guard(this.#openStreams(options));
  }

  receive(event: NumberedEvent): void {
    const reading = this.#cursors.get(event.stream)?.receive(event);
    if (reading) this.#guard(reading);
  }

  catchUp(): void {
    for (const cursor of this.#cursors.values()) this.#guard(cursor.catchUp());
  }

  endIfRevoked(end: SessionEnd): void {
    if (end.userId !== this.#session.user._id.toString()) return;
    if (end.exceptSessionId === this.#session.sessionId) return;
    this.#socket.emit("session:ended", { reason: end.reason });
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
    if (requestId) this.#logger.debug({ requestId, name, seq }, "pushed");
  }

  /** Closes the socket on an error. Its client reconnects and resumes after its last event. */
  #guard(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      if (this.#isClosed) return;
      if (!(error instanceof AppError)) {
        this.#logger.warn({ err: error }, "socket closed after an error");
      }
      this.#disconnect();
    });
  }

  #disconnect(): void {
    this.#isClosed = true;
    this.#socket.conn.close();
  }
}
