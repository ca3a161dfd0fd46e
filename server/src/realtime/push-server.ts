import { type Server as HttpServer, type IncomingMessage, ServerResponse } from "node:http";
import { MAX_SOCKETS_PER_USER } from "@shared/contract/constants.ts";
import { type SocketAuth, socketAuthSchema } from "@shared/contract/events.ts";
import type { LoggedEvent } from "@shared/outbox/event-log.ts";
import { ADMINS_STREAM, CONTROL_STREAM, userStream } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { type DefaultEventsMap, type ExtendedError, Server, type Socket } from "socket.io";
import { WebSocket } from "ws";
import { assertScope } from "../http/api-keys.ts";
import { isDatabaseUnavailable } from "../http/database-errors.ts";
import { clientNetwork } from "../http/rate-limits.ts";
import { BODY_TIMEOUT_MS } from "../http/request-input.ts";
import { readSessionEnds, sessionEndOf } from "../http/session-ends.ts";
import { type AuthenticatedSession, authenticateToken } from "../http/sessions.ts";
import { isBrandingChange, readPublicBranding } from "../modules/branding/branding.ts";
import type { ServerDeps } from "../server-deps.ts";
import type { EventFeed } from "./event-feed.ts";
import { LivePrices } from "./live-prices.ts";
import { PriceWatch } from "./price-watch.ts";
import { type PushedEvents, PushSession } from "./push-session.ts";
import { type Connection, SendBuffer, type SendBufferOptions } from "./send-buffer.ts";
import { createEventLogReader, type EventLogReader } from "./stream-cursor.ts";

/** How long a connection may take to deliver what it was sent last. */
const CLOSE_TIMEOUT_MS = 1_000;

interface ConnectionOptions extends SendBufferOptions {
  /** Identifies the client by its address. */
  networkOf: (request: IncomingMessage) => string;
  maxPerNetwork: number;
}

/** Engine.IO would wait for a body for as long as its request may take. */
function limitBodies(request: IncomingMessage, _response: unknown, next: () => void): void {
  if (request.method === "POST") {
    const cut = setTimeout(() => {
      if (!request.complete) request.socket.destroy();
    }, BODY_TIMEOUT_MS);
    request.once("close", () => clearTimeout(cut));
  }
  next();
}

export class Connections {
  readonly #options: ConnectionOptions;
  readonly #counts = new Map<string, number>();
  readonly #buffers = new WeakMap<Connection, SendBuffer>();
  /** Responses to polls that are not sent yet, by connection. */
  readonly #polls = new Map<string, ServerResponse>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  follow({ engine }: Server): void {
    engine.use(limitBodies);
    engine.use(this.#limitPolls);
    engine.on("connection", (connection: Connection) => {
      const buffer = new SendBuffer(connection, this.#options);
      this.#buffers.set(connection, buffer);
      const network = this.#options.networkOf(connection.request);
      this.#count(network, 1);
      connection.once("close", () => {
        this.#count(network, -1);
        this.#destroyLater(connection);
      });
    });
  }

  /** Whether the network of a handshake may have another connection. */
  admits(handshake: IncomingMessage): boolean {
    const { networkOf, maxPerNetwork, logger } = this.#options;
    const isAdmitted = (this.#counts.get(networkOf(handshake)) ?? 0) < maxPerNetwork;
    if (!isAdmitted) logger.info("socket rejected: too many from one address");
    return isAdmitted;
  }

  /** Delivers what is buffered only if the client reads it soon. */
  close(connection: Connection): void {
    connection.close();
    this.#destroyLater(connection);
  }

  bufferOf(connection: Connection): SendBuffer {
    const buffer = this.#buffers.get(connection);
    if (!buffer) throw new Error("a connection without a buffer");
    return buffer;
  }

  #count(network: string, change: number): void {
    const count = (this.#counts.get(network) ?? 0) + change;
    if (count > 0) this.#counts.set(network, count);
    else this.#counts.delete(network);
  }

  /** Refuses a poll while the response before it is unread: Engine.IO would buffer one after the other. */
  readonly #limitPolls = (
    { method, url = "" }: IncomingMessage,
    response: unknown,
    next: () => void,
  ): void => {
    const id = new URL(url, "http://localhost").searchParams.get("sid");
    const isPoll = id !== null && method === "GET" && response instanceof ServerResponse;
    if (!isPoll) return next();
    if (this.#polls.has(id)) return void response.destroy();
    this.#polls.set(id, response);
    response.once("close", () => this.#polls.delete(id));
    next();
  };

  /** A client that does not read would keep its connection open, and what is buffered for it. */
  #destroyLater(connection: Connection): void {
    const destroy = () => {
      const { transport } = connection;
      connection.close(true);
      if ("socket" in transport && transport.socket instanceof WebSocket) {
        transport.socket.terminate();
      }
      this.#polls.get(transport.sid)?.destroy();
    };
    setTimeout(destroy, CLOSE_TIMEOUT_MS).unref();
  }
}

interface SocketData {
  session: AuthenticatedSession;
  auth: SocketAuth;
}
interface ReceivedEvents {
  /** A payload and an acknowledgement, if the client sends them. */
  "prices:watch": (...sent: unknown[]) => void;
}

type PushIo = Server<ReceivedEvents, PushedEvents, DefaultEventsMap, SocketData>;
type PushSocket = Socket<ReceivedEvents, PushedEvents, DefaultEventsMap, SocketData>;

/** What an API key needs for a socket. */
const EVENTS = { access: "user", method: "GET", scopes: ["read"] } as const;

/** The browser sends nothing but its handshake and the symbols of prices. */
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
  readonly #prices: LivePrices;
  readonly #log: EventLogReader;
  /** By the user's own stream. */
  readonly #sessions = new Map<string, Set<PushSession>>();
  readonly #stopListening: () => void;

  constructor(
    deps: Pick<ServerDeps, "database" | "logger" | "settings" | "now">,
    options: {
      http: HttpServer;
      feed: EventFeed;
      addressOf: (request: IncomingMessage) => string;
    },
  ) {
    this.#deps = deps;
    this.#prices = new LivePrices({
      database: deps.database,
      logger: deps.logger,
      // Encodes the price once for all.
      send: (socketIds, price) => this.#io.to(socketIds).emit("price", price),
      sendStale: (socketIds, stale) => this.#io.to(socketIds).emit("price:stale", stale),
    });
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
      onReopened: () => this.#eachSession((session) => session.recover()),
    });
  }

  /** Resolves when prices arrive. */
  start(): Promise<void> {
    return this.#prices.start();
  }

  get socketCount(): number {
    return this.#io.of("/").sockets.size;
  }

  /** Closes all sockets, so that their clients reconnect elsewhere. */
  async close(): Promise<void> {
    this.#stopListening();
    for (const socket of this.#io.of("/").sockets.values()) socket.conn.close();
    await Promise.all([this.#io.close(), this.#prices.stop()]);
  }

  async #admit(socket: PushSocket): Promise<void> {
    const parsed = socketAuthSchema.safeParse(socket.handshake.auth);
    if (!parsed.success) throw new AppError("unauthenticated", "Please sign in.");
    socket.data.session = await authenticateToken(this.#deps, parsed.data.token);
    assertScope(socket.data.session, EVENTS);
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
    const buffer = this.#connections.bufferOf(socket.conn);
    const resume = () => authenticateToken(this.#deps, socket.data.auth.token);
    const prices = this.#watchPrices(socket, { buffer, resume });
    const session = new PushSession({
      socket,
      prices,
      session: socket.data.session,
      resume,
      readEnds: (userId, since) => readSessionEnds(this.#deps.database, { userId, since }),
      deps: this.#deps,
      log: this.#log,
      buffer,
    });
    const stream = userStream(user._id);
    const sessions = this.#sessions.get(stream) ?? new Set();
    this.#sessions.set(stream, sessions.add(session));
    socket.once("disconnect", () => {
      session.close();
      sessions.delete(session);
      if (sessions.size === 0) this.#sessions.delete(stream);
      this.#connections.close(socket.conn);
    });
    const [oldest] = sessions;
    if (sessions.size > MAX_SOCKETS_PER_USER) oldest?.replace();
    session.open(socket.data.auth.since);
  }

  #watchPrices(
    socket: PushSocket,
    { buffer, resume }: { buffer: SendBuffer; resume: () => Promise<AuthenticatedSession> },
  ): PriceWatch {
    const watch = new PriceWatch({
      deps: this.#deps,
      prices: this.#prices,
      socket: { id: socket.id, isBehind: () => buffer.isBehind },
      readUser: async () => (await resume()).user,
    });
    socket.on("prices:watch", (...sent) => {
      const acknowledge = sent.at(-1);
      void watch.watch(sent[0], (answer) => {
        if (typeof acknowledge === "function") acknowledge(answer);
      });
    });
    return watch;
  }

  #onEvent(event: LoggedEvent): void {
    if (event.stream === CONTROL_STREAM) return this.#obey(event);
    const { seq, stream } = event;
    if (seq === undefined) return;
    const receive = (session: PushSession) => session.receive({ ...event, seq });
    // Who may read it changes while sockets are open.
    if (stream === ADMINS_STREAM) this.#eachSession(receive);
    else this.#sessions.get(stream)?.forEach(receive);
  }

  #obey(event: LoggedEvent): void {
    if (isBrandingChange(event)) return void this.#pushBranding();
    this.#endSessions(event);
  }

  /** Who misses it has it with the next page: it is not numbered. */
  async #pushBranding(): Promise<void> {
    try {
      this.#io.emit("branding", await readPublicBranding(this.#deps));
    } catch (error) {
      this.#deps.logger.warn({ err: error }, "branding not pushed");
    }
  }

  #endSessions(event: LoggedEvent): void {
    const end = sessionEndOf(event);
    if (!end) return;
    this.#eachSession((session) => session.endIfRevoked(end));
  }

  #eachSession(act: (session: PushSession) => void): void {
    for (const session of [...this.#sessions.values()].flatMap((sessions) => [...sessions])) {
      act(session);
    }
  }
}
