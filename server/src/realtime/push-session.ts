import { setTimeout as delay } from "node:timers/promises";
import type { SessionEndReason, SocketAuth, StreamName } from "@shared/contract/events.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { readsAdminEvents } from "@shared/domain/access.ts";
import type { NumberedEvent } from "@shared/outbox/event-log.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import type { DefaultEventsMap, Socket } from "socket.io";
import { isDatabaseUnavailable } from "../http/database-errors.ts";
import type { SessionEnd } from "../http/session-ends.ts";
import type { AuthenticatedSession } from "../http/sessions.ts";
import { createSignPath, type SignPath, signEventFiles } from "../modules/files/signed-url.ts";
import type { ServerDeps } from "../server-deps.ts";
import type { PriceWatch } from "./price-watch.ts";
import type { SendBuffer } from "./send-buffer.ts";
import { type EventLogReader, type SendGate, StreamCursor } from "./stream-cursor.ts";

/** Events of newer releases are pushed too, because leaving them out would be a gap. */
export interface PushedEvents {
  [name: string]: (payload: unknown) => void;
}

interface PushSessionOptions {
  socket: Socket<DefaultEventsMap, PushedEvents>;
  session: AuthenticatedSession;
  /** Reads the session again and records that it is used. @throws AppError unauthenticated if it has ended */
  resume: () => Promise<AuthenticatedSession>;
  /** The ends of the user's sessions since a time. */
  readEnds: (userId: string, since: Date) => Promise<SessionEnd[]>;
  deps: Pick<ServerDeps, "logger" | "settings" | "now">;
  log: EventLogReader;
  buffer: SendBuffer;
  prices: Pick<PriceWatch, "recheck" | "close">;
}

/** How often an open socket counts as a use of its session. */
const SESSION_CHECK_INTERVAL_MS = 10 * 60_000;

/** No event says that an administrator has no second factor any more. */
const ADMIN_CHECK_INTERVAL_MS = 1_000;

/** Administrators' events are pushed only if the right to see them was read from the database within this time. */
const MAX_AUTHORITY_AGE_MS = 2_000;

/** From the time of an end until it can be read, and for clocks that differ. */
const END_DELAY_MS = 10_000;

const RETRY_INTERVAL_MS = 1_000;

const isUnavailable = (error: unknown): boolean =>
  isDatabaseUnavailable(error) || (error instanceof AppError && error.code === "unavailable");

const hasEnded = (error: unknown): boolean =>
  error instanceof AppError && error.code === "unauthenticated";

/** One socket with a cursor for each stream that it may read now. */
export class PushSession {
  readonly #options: PushSessionOptions;
  readonly #signPath: SignPath;
  readonly #cursors = new Map<string, StreamCursor>();
  /** The last numbers that the client has. */
  readonly #positions: { -readonly [Name in StreamName]?: number | undefined } = {};
  #session: AuthenticatedSession;
  /** When the session was read last, by the monotonic clock. */
  #checkedAtMs = performance.now();
  #openChecks = 0;
  #lastCheck: Promise<void> = Promise.resolve();
  #nextCheck: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: PushSessionOptions) {
    this.#options = options;
    this.#session = options.session;
    this.#signPath = createSignPath(options.deps, options.session.user);
  }

  /** Pushes the events after `since`, then new ones. The session may have ended since it was authenticated. */
  open(since: SocketAuth["since"]): void {
    Object.assign(this.#positions, since);
    this.#guard(this.#check());
  }

  receive(event: NumberedEvent): void {
    if (event.name === "account:updated") this.#options.prices.recheck();
    const reading = this.#cursors.get(event.stream)?.receive(event);
    if (reading) this.#guard(reading);
  }

  /** Events may have been missed, among them the end of the session: it is read before anything else is pushed. */
  recover(): void {
    this.#options.prices.recheck();
    this.#guard(this.#check());
    for (const cursor of this.#cursors.values()) this.#guard(cursor.catchUp());
  }

  endIfRevoked(end: SessionEnd): void {
    if (this.#isEndedBy(end)) this.#end(end.reason);
  }

  /** Makes room for a newer socket of the user. */
  replace(): void {
    this.#options.socket.emit("socket:closed", { reason: "too-many-sockets" });
    this.#options.socket.disconnect();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#nextCheck);
    this.#options.prices.close();
    for (const cursor of this.#cursors.values()) cursor.close();
  }

  /** Reads the session again, after earlier checks. Nothing is pushed meanwhile, which takes as long as an outage. */
  #check(): Promise<void> {
    this.#openChecks += 1;
    this.#lastCheck = this.#lastCheck
      .then(() => this.#readUntilAvailable())
      .finally(() => {
        this.#openChecks -= 1;
      });
    return this.#lastCheck;
  }

  async #readUntilAvailable(): Promise<void> {
    let isRead = false;
    while (!isRead && !this.#isClosed) {
      isRead = await this.#readSession().then(
        () => true,
        (error: unknown) => {
          if (isUnavailable(error)) return false;
          throw error;
        },
      );
      if (!isRead) await delay(RETRY_INTERVAL_MS, undefined, { ref: false });
    }
  }

  async #readSession(): Promise<void> {
    const startedMs = performance.now();
    const session = await this.#options.resume().catch((error: unknown) => {
      if (hasEnded(error)) return null;
      throw error;
    });
    if (this.#isClosed) return;
    if (!session) return this.#endByLog();
    this.#session = session;
    this.#checkedAtMs = startedMs;
    await this.#followStreams(session.user);
    this.#scheduleCheck(session);
  }

  #scheduleCheck({ user, expiresAt }: AuthenticatedSession): void {
    if (this.#isClosed) return;
    const { deps, prices } = this.#options;
    const isAdmin = user.role === "admin";
    const intervalMs = isAdmin ? ADMIN_CHECK_INTERVAL_MS : SESSION_CHECK_INTERVAL_MS;
    const leftMs = Math.max(0, expiresAt.getTime() - deps.now().getTime());
    if (isAdmin && !readsAdminEvents(deps.settings, user)) prices.recheck();
    clearTimeout(this.#nextCheck);
    this.#nextCheck = setTimeout(() => this.#guard(this.#check()), Math.min(leftMs, intervalMs));
  }

  async #followStreams(user: UserRecord): Promise<void> {
    const own = userStream(user._id);
    const isReader = readsAdminEvents(this.#options.deps.settings, user);
    const streams = isReader ? [own, ADMINS_STREAM] : [own];
    for (const [stream, cursor] of this.#cursors) {
      if (streams.includes(stream)) continue;
      cursor.close();
      this.#cursors.delete(stream);
    }
    const added = streams.filter((stream) => !this.#cursors.has(stream));
    await Promise.all(added.map((stream) => this.#follow(stream)));
  }

  async #follow(stream: string): Promise<void> {
    const name: StreamName = stream === ADMINS_STREAM ? "admins" : "user";
    const cursor = await StreamCursor.open({
      stream,
      since: this.#positions[name],
      log: this.#options.log,
      buffer: this.#options.buffer,
      gate: this.#gateOf(stream),
      send: (event) => this.#send(name, event),
      resync: (seq) => this.#emit("resync", name, { seq, at: this.#options.deps.now(), data: {} }),
    });
    if (this.#isClosed) return;
    this.#cursors.set(stream, cursor);
    this.#guard(cursor.catchUp());
  }

  #gateOf(stream: string): SendGate {
    const maxAgeMs = stream === ADMINS_STREAM ? MAX_AUTHORITY_AGE_MS : Number.POSITIVE_INFINITY;
    const isOpen = () => this.#openChecks === 0 && performance.now() - this.#checkedAtMs < maxAgeMs;
    return {
      get isOpen() {
        return isOpen();
      },
      opened: async () => {
        while (!this.#isClosed && !isOpen()) {
          await (this.#openChecks > 0 ? this.#lastCheck : this.#check());
        }
      },
    };
  }

  /** The session has ended. Why is in the log, even if the feed has missed it or brings it later. */
  async #endByLog(): Promise<void> {
    const { user, expiresAt } = this.#session;
    const now = this.#options.deps.now();
    const unreadMs = performance.now() - this.#checkedAtMs + END_DELAY_MS;
    const since = new Date(now.getTime() - unreadMs);
    const ends = await this.#options.readEnds(user._id.toString(), since);
    const end = ends.find((one) => this.#isEndedBy(one));
    if (this.#isClosed) return;
    if (end) this.#end(end.reason);
    else if (now >= expiresAt) this.#end("expired");
    else this.#disconnect();
  }

  #isEndedBy({ userId, sessionId: ended, exceptSessionId }: SessionEnd): boolean {
    const { user, sessionId } = this.#session;
    if (userId !== user._id.toString() || exceptSessionId === sessionId) return false;
    return ended === undefined || ended === sessionId;
  }

  #send(stream: StreamName, event: NumberedEvent): void {
    const { name, seq, at, requestId } = event;
    this.#emit(name, stream, { seq, at, data: signEventFiles(event, this.#signPath) });
    if (requestId) this.#options.deps.logger.debug({ requestId, name, seq }, "pushed");
  }

  #emit(
    event: string,
    stream: StreamName,
    { seq, at, data }: { seq: number; at: Date; data: unknown },
  ): void {
    this.#positions[stream] = seq;
    this.#options.socket.emit(event, { stream, seq, at: at.toISOString(), data });
  }

  /** Closes the socket on an error. Its client reconnects and resumes after its last event. */
  #guard(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      if (this.#isClosed) return;
      if (!(error instanceof AppError)) {
        this.#options.deps.logger.warn({ err: error }, "socket closed after an error");
      }
      this.#disconnect();
    });
  }

  #end(reason: SessionEndReason): void {
    this.#options.socket.emit("session:ended", { reason });
    this.#options.socket.disconnect();
  }

  #disconnect(): void {
    this.close();
    this.#options.socket.conn.close();
  }
}
