import {
  type SessionEndReason,
  type SocketAuth,
  type StreamName,
  sessionEndReasonSchema,
} from "@shared/contract/events.ts";
import type { NumberedEvent } from "@shared/outbox/event-log.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import type { DefaultEventsMap, Socket } from "socket.io";
import { z } from "zod";
import type { AuthenticatedSession } from "../http/sessions.ts";
import type { PriceWatch } from "./price-watch.ts";
import type { SendBuffer } from "./send-buffer.ts";
import { type EventLogReader, StreamCursor } from "./stream-cursor.ts";

/** Closes the sockets of a user's sessions: of one, of all but one, or of all. */
export const sessionEndSchema = z.object({
  userId: z.string(),
  reason: sessionEndReasonSchema,
  sessionId: z.string().optional(),
  exceptSessionId: z.string().optional(),
});
type SessionEnd = z.infer<typeof sessionEndSchema>;

/** Events of newer releases are pushed too, because leaving them out would be a gap. */
export interface PushedEvents {
  [name: string]: (payload: unknown) => void;
}

type PresentEvent = (event: { name: string; data: unknown }) => unknown;

interface PushSessionOptions {
  socket: Socket<DefaultEventsMap, PushedEvents>;
  session: AuthenticatedSession;
  log: EventLogReader;
  buffer: SendBuffer;
  logger: Logger;
  now: () => Date;
  present: PresentEvent;
  readsAdminEvents: boolean;
  prices: Pick<PriceWatch, "recheck" | "close">;
}

/** How often an open socket counts as a use of its session. */
const SESSION_CHECK_INTERVAL_MS = 10 * 60_000;

/** The database says that a session has ended before the event feed brings the reason. */
const END_NOTICE_TIMEOUT_MS = 2_000;

const hasEnded = (error: unknown): boolean =>
  error instanceof AppError && error.code === "unauthenticated";

/** One socket with a cursor for each stream that it may read. */
export class PushSession {
  readonly streams: readonly string[];
  readonly #options: PushSessionOptions;
  readonly #cursors = new Map<string, StreamCursor>();
  #check: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: PushSessionOptions) {
    this.#options = options;
    const own = userStream(options.session.user._id);
    this.streams = options.readsAdminEvents ? [own, ADMINS_STREAM] : [own];
  }

  /**
   * Pushes the events after `since`, then new ones.
   * @param options.resume records that the session is used; throws if it has ended
   */
  open(options: { since: SocketAuth["since"]; resume: () => Promise<AuthenticatedSession> }): void {
    this.#scheduleCheck(this.#options.session.expiresAt, options.resume);
    this.#guard(this.#openStreams(options));
  }

  #scheduleCheck(expiresAt: Date, resume: () => Promise<AuthenticatedSession>): void {
    const leftMs = expiresAt.getTime() - this.#options.now().getTime();
    const check = async () => {
      const session = await resume().catch((error: unknown) => {
        if (hasEnded(error)) return null;
        throw error;
      });
      if (session) this.#scheduleCheck(session.expiresAt, resume);
      else this.#end("expired");
    };
    clearTimeout(this.#check);
    this.#check = setTimeout(
      () => this.#guard(check()),
      Math.max(0, Math.min(leftMs, SESSION_CHECK_INTERVAL_MS)),
    );
  }

  receive(event: NumberedEvent): void {
    if (event.name === "account:updated") this.#options.prices.recheck();
    const reading = this.#cursors.get(event.stream)?.receive(event);
    if (reading) this.#guard(reading);
  }

  catchUp(): void {
    this.#options.prices.recheck();
    for (const cursor of this.#cursors.values()) this.#guard(cursor.catchUp());
  }

  endIfRevoked(end: SessionEnd): void {
    if (end.userId !== this.#options.session.user._id.toString()) return;
    const { sessionId } = this.#options.session;
    if (end.exceptSessionId === sessionId || (end.sessionId ?? sessionId) !== sessionId) return;
    this.#end(end.reason);
  }

  /** Makes room for a newer socket of the user. */
  replace(): void {
    this.#options.socket.emit("socket:closed", { reason: "too-many-sockets" });
    this.#options.socket.disconnect();
  }

  close(): void {
    clearTimeout(this.#check);
    this.#options.prices.close();
    for (const cursor of this.#cursors.values()) cursor.close();
  }

  async #openStreams(options: {
    since: SocketAuth["since"];
    resume: () => Promise<AuthenticatedSession>;
  }): Promise<void> {
    await Promise.all(this.streams.map((stream) => this.#openStream(stream, options.since)));
    // The session may have ended before the streams were followed.
    await options.resume().catch((error: unknown) => {
      if (!hasEnded(error)) throw error;
      this.close();
      this.#check = setTimeout(() => this.#disconnect(), END_NOTICE_TIMEOUT_MS);
    });
  }

  async #openStream(stream: string, since: SocketAuth["since"]): Promise<void> {
    const name: StreamName = stream === ADMINS_STREAM ? "admins" : "user";
    const cursor = await StreamCursor.open({
      stream,
      since: since?.[name],
      log: this.#options.log,
      buffer: this.#options.buffer,
      send: (event) => this.#send(name, event),
      resync: (seq) =>
        this.#options.socket.emit("resync", {
          stream: name,
          seq,
          at: this.#options.now().toISOString(),
          data: {},
        }),
    });
    this.#cursors.set(stream, cursor);
    await cursor.catchUp();
  }

  #send(stream: StreamName, event: NumberedEvent): void {
    const { name, seq, requestId } = event;
    const data = this.#options.present(event);
    this.#options.socket.emit(name, { stream, seq, at: event.at.toISOString(), data });
    if (requestId) this.#options.logger.debug({ requestId, name, seq }, "pushed");
  }

  /** Closes the socket on an error. Its client reconnects and resumes after its last event. */
  #guard(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      if (this.#isClosed) return;
      if (!(error instanceof AppError)) {
        this.#options.logger.warn({ err: error }, "socket closed after an error");
      }
      this.#disconnect();
    });
  }

  #end(reason: SessionEndReason): void {
    this.#options.socket.emit("session:ended", { reason });
    this.#options.socket.disconnect();
  }

  #disconnect(): void {
    this.#isClosed = true;
    this.#options.socket.conn.close();
  }
}
