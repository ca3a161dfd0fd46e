import type { Server as HttpServer, IncomingMessage } from "node:http";
import { MAX_SOCKETS_PER_USER } from "@shared/contract/constants.ts";
import { type SocketAuth, socketAuthSchema } from "@shared/contract/events.ts";
import { CONTROL_STREAM, userStream } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { type DefaultEventsMap, type ExtendedError, Server, type Socket } from "socket.io";
import { readsAdminEvents } from "../http/access.ts";
import { isDatabaseUnavailable } from "../http/database-errors.ts";
import { clientNetwork } from "../http/rate-limits.ts";
import { type AuthenticatedSession, authenticateToken } from "../http/sessions.ts";
import { createSignPath, signEventFiles } from "../modules/files/signed-url.ts";
import type { ServerDeps } from "../server-deps.ts";
import { Connections } from "./connections.ts";
import type { EventFeed, LoggedEvent } from "./event-feed.ts";
import { type PushedEvents, PushSession, sessionEndSchema } from "./push-session.ts";
import { createEventLogReader, type EventLogReader } from "./stream-cursor.ts";

interface SocketData {
  session: AuthenticatedSession;
  auth: SocketAuth;
}
type PushIo = Server<DefaultEventsMap, PushedEvents, DefaultEventsMap, SocketData>;
type PushSocket = Socket<DefaultEventsMap, PushedEvents, DefaultEventsMap, SocketData>;

/** The browser sends nothing but its handshake. */
const MAX_MESSAGE_BYTES = 16_384;

function refusal(error: unknown): ExtendedError {
  const appError = error instanceof AppError ? error : undefined;
  const refused: ExtendedError = new Error(appError?.detail ?? "The service is unavailable.");
  refused.data = { code: appError?.code ?? "unavailable" };
  return refused;
}

/** Pushes events to browsers: one `PushSession` per socket. */
export class PushServer {
  readonly #deps: Pick<ServerDeps, "database" | "logger" | "settings" | "now">;
  readonly #io: PushIo;
  readonly #connections: Connections;
  readonly #log: EventLogReader;
  readonly #sessions = new Map<string, Set<PushSession>>();
  readonly #stopListening: () => void;

  constructor(
    deps: Pick<ServerDeps, "database" | "logger" | "settings" | "now">,
    options: {
      http: HttpServer;
      feed: EventFeed;
      /** Address of the client. */
      addressOf: (request: IncomingMessage) => string;
    },
  ) {
    this.#deps = deps;
    this.#log = createEventLogReader(deps.database);
    const { RATE_LIMIT, MAX_SOCKETS_PER_ADDRESS } = deps.settings;
    this.#connections = new Connections({
      logger: deps.logger,
      networkOf: (request) => clientNetwork(options.addressOf(request)),
      maxPerNetwork: RATE_LIMIT === "off" ? Number.POSITIVE_INFINITY : MAX_SOCKETS_PER_ADDRESS,
    });
    const origins = new Set(deps.settings.CLIENT_ORIGIN.map((address) => new URL(address).origin));
    this.#io = new Server(options.http, {
      cors: { origin: [...origins] },
      // Browsers apply CORS to polling only. Programs send no origin.
      allowRequest: (request, decide) => {
        const { origin } = request.headers;
        const isAllowed = origin === undefined || origins.has(origin);
        decide(null, isAllowed && this.#connections.admits(request));
      },
      maxHttpBufferSize: MAX_MESSAGE_BYTES,
      serveClient: false,
    });
    this.#connections.follow(this.#io);
    this.#io.use((socket, next) => {
      this.#admit(socket).then(
        () => next(),
        (error: unknown) => next(this.#refuse(error)),
      );
    });
    this.#io.on("connection", (socket) => this.#serve(socket));
    this.#stopListening = options.feed.subscribe({
      onEvent: (event) => this.#onEvent(event),
      onReopened: () => this.#eachSession((session) => session.catchUp()),
    });
  }

  get socketCount(): number {
    return this.#io.of("/").sockets.size;
  }

  /** Closes all sockets, so that their clients reconnect elsewhere. */
  async close(): Promise<void> {
    this.#stopListening();
    for (const socket of this.#io.of("/").sockets.values()) socket.conn.close();
    await this.#io.close();
  }

  async #admit(socket: PushSocket): Promise<void> {
    const parsed = socketAuthSchema.safeParse(socket.handshake.auth);
    if (!parsed.success) throw new AppError("unauthenticated", "Please sign in.");
    socket.data.session = await authenticateToken(this.#deps, parsed.data.token);
    socket.data.auth = parsed.data;
  }

  #refuse(error: unknown): ExtendedError {
    if (isDatabaseUnavailable(error))
      this.#deps.logger.warn({ err: error }, "socket rejected: database unavailable");
    else if (!(error instanceof AppError))
      this.#deps.logger.error({ err: error }, "socket rejected");
    return refusal(error);
  }

  #serve(socket: PushSocket): void {
    const { user } = socket.data.session;
    const session = new PushSession({
      socket,
      session: socket.data.session,
      log: this.#log,
      buffer: this.#connections.bufferOf(socket.conn),
      logger: this.#deps.logger,
      now: this.#deps.now,
      present: (event) => signEventFiles(event, createSignPath(this.#deps, user)),
      readsAdminEvents: readsAdminEvents(this.#deps.settings, user),
    });
    for (const stream of session.streams) this.#sessionsOf(stream).add(session);
    socket.once("disconnect", () => {
      session.close();
      for (const stream of session.streams) this.#removeSession(stream, session);
      this.#connections.close(socket.conn);
    });
    const sessions = this.#sessionsOf(userStream(user._id));
    const [oldest] = sessions;
    if (sessions.size > MAX_SOCKETS_PER_USER) oldest?.replace();
    session.open({
      since: socket.data.auth.since,
      resume: () => authenticateToken(this.#deps, socket.data.auth.token),
    });
  }

  #onEvent(event: LoggedEvent): void {
    if (event.stream === CONTROL_STREAM) return this.#endSessions(event);
    const { seq } = event;
    if (seq === undefined) return;
    for (const session of this.#sessions.get(event.stream) ?? [])
      session.receive({ ...event, seq });
  }

  #endSessions(event: LoggedEvent): void {
    const end = sessionEndSchema.parse(event.data);
    this.#eachSession((session) => session.endIfRevoked(end));
  }

  #eachSession(act: (session: PushSession) => void): void {
    const all = new Set([...this.#sessions.values()].flatMap((sessions) => [...sessions]));
    for (const session of all) act(session);
  }

  #sessionsOf(stream: string): Set<PushSession> {
    const sessions = this.#sessions.get(stream) ?? new Set();
    this.#sessions.set(stream, sessions);
    return sessions;
  }

  #removeSession(stream: string, session: PushSession): void {
    const sessions = this.#sessions.get(stream);
    sessions?.delete(session);
    if (sessions?.size === 0) this.#sessions.delete(stream);
  }
}
