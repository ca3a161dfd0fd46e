import { type IncomingMessage, ServerResponse } from "node:http";
import type { Server } from "socket.io";
import { WebSocket } from "ws";
import { type Connection, SendBuffer, type SendBufferOptions } from "./send-buffer.ts";

/** How long a connection may take to deliver what it was sent last. */
const CLOSE_TIMEOUT_MS = 1_000;

interface ConnectionOptions extends SendBufferOptions {
  /** Identifies the client by its address. */
  networkOf: (request: IncomingMessage) => string;
  maxPerNetwork: number;
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
