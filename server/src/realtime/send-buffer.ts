import { EventEmitter, once } from "node:events";
import type { Logger } from "@shared/runtime/logger.ts";
import type { Socket } from "socket.io";

export type Connection = Socket["conn"];

const LIMITS = { maxBytes: 1_000_000, drainTimeoutMs: 30_000 };
/** All prices that a socket may watch, and a few events. */
const MAX_BEHIND_BYTES = 8_000;

export interface SendBufferOptions {
  logger: Logger;
  limits?: typeof LIMITS;
}

/**
 * Counts what a connection was given and its client has not taken yet. Above 1 MB it is full; further events stay in the
 * database. A client that does not take what it was sent is disconnected.
 */
export class SendBuffer {
  readonly #connection: Connection;
  readonly #logger: Logger;
  readonly #limits: typeof LIMITS;
  readonly #drains = new EventEmitter();
  #queuedBytes = 0;
  /** With the transport. Given back all at once. */
  #sendingBytes = 0;

  constructor(connection: Connection, { logger, limits = LIMITS }: SendBufferOptions) {
    this.#connection = connection;
    this.#logger = logger;
    this.#limits = limits;
    connection.on("packetCreate", ({ data = "" }: { data?: string | Buffer }) =>
      this.#add(Buffer.byteLength(data)),
    );
    connection.on("flush", () => {
      this.#sendingBytes += this.#queuedBytes;
      this.#queuedBytes = 0;
    });
    this.#follow(connection.transport);
    connection.on("upgrade", (transport: Connection["transport"]) => this.#follow(transport));
    connection.once("close", () => {
      this.#queuedBytes = 0;
      this.#drain();
    });
  }

  get isFull(): boolean {
    return this.#queuedBytes + this.#sendingBytes > this.#limits.maxBytes;
  }

  /** The client has not taken what it was sent last. */
  get isBehind(): boolean {
    return this.#queuedBytes + this.#sendingBytes > MAX_BEHIND_BYTES;
  }

  /** Resolves once it is no longer full, or the connection is closed. */
  async drained(): Promise<void> {
    if (!this.isFull) return;
    const timeout = setTimeout(() => this.#disconnect(), this.#limits.drainTimeoutMs);
    await once(this.#drains, "drain");
    clearTimeout(timeout);
  }

  #follow(transport: Connection["transport"]): void {
    transport.on("drain", () => this.#drain());
  }

  #add(bytes: number): void {
    this.#queuedBytes += bytes;
    // Not by events, which wait, but by answers to a client that sends and does not read.
    if (this.#queuedBytes + this.#sendingBytes > 2 * this.#limits.maxBytes) this.#disconnect();
  }

  #drain(): void {
    this.#sendingBytes = 0;
    if (!this.isFull) this.#drains.emit("drain");
  }

  #disconnect(): void {
    this.#logger.info("slow reader disconnected");
    this.#connection.close(true);
  }
}
