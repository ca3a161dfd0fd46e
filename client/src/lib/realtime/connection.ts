import type { Me } from "@shared/contract/account.ts";
import {
  type ServerToClientEvents,
  type SocketAuth,
  sessionEndedSchema,
} from "@shared/contract/events.ts";
import {
  livePriceSchema,
  stalePriceSchema,
  watchedPricesSchema,
} from "@shared/contract/market-data.ts";
import { io, type Socket } from "socket.io-client";
import { z } from "zod";
import { backoffMs, delay } from "../backoff.ts";
import { BRANDING_KEY, brandingFacts } from "../brand.ts";
import { yieldToMain } from "../hydration.ts";
import { queryClient } from "../query-client.ts";
import type { SessionEnd } from "../session.ts";
import {
  classifyEvent,
  type LiveEvent,
  parseLiveEvent,
  positionSchema,
  type StreamPositions,
} from "./events.ts";
import { receivePrice, receiveStale, startPrices, stopPrices } from "./live-prices.ts";
import { type LiveState, useRealtime } from "./store.ts";

interface ClientToServerEvents {
  "prices:watch": (request: { symbols: string[] }, answer: (watched: unknown) => void) => void;
}
type LiveSocket = Socket<ServerToClientEvents, ClientToServerEvents>;
type Position = z.infer<typeof positionSchema>;

/** Signs that the user has turned to this tab. */
const USE_EVENTS = ["focus", "pointerdown", "keydown"];

const PRICES_TIMEOUT_MS = 10_000;

const refusalSchema = z.object({ data: z.object({ code: z.string() }) });

interface LiveConnectionDeps {
  apiUrl: string;
  token: string;
  /** `GET /me`; ends the session if the token is refused. */
  readMe(): Promise<Me>;
  onEvent(event: LiveEvent): void;
  /** Called when events are lost: everything has to be read again. */
  onStale(): void;
  onEnded(reason: SessionEnd): void;
}

/** The Socket.IO connection of a signed-in tab. It reports every event once and in order, across interruptions. */
export class LiveConnection {
  readonly #deps: LiveConnectionDeps;
  readonly #stop = new AbortController();
  readonly #socket: LiveSocket;
  #positions: StreamPositions = {};
  /** The last event before a gap. A second gap there cannot be filled by reconnecting. */
  #gapAt: number | null = null;
  #failures = 0;
  #isPaused = false;

  constructor(deps: LiveConnectionDeps) {
    this.#deps = deps;
    // In an address, a path would be a namespace of Socket.IO.
    const { origin, pathname } = new URL(`${deps.apiUrl}/socket.io`);
    this.#socket = io(origin, {
      path: pathname,
      autoConnect: false,
      forceNew: true,
      transports: ["websocket", "polling"],
      tryAllTransports: true,
      reconnectionDelay: 500,
      reconnectionDelayMax: 10_000,
      auth: (send) => send({ token: deps.token, since: this.#positions } satisfies SocketAuth),
    });
    this.#listen();
    void this.#join();
  }

  stop(): void {
    this.#stop.abort();
    stopPrices();
    this.#socket.disconnect();
  }

  #watchPrices(): void {
    startPrices(async (symbols) => {
      const answer: unknown = await this.#socket
        .timeout(PRICES_TIMEOUT_MS)
        .emitWithAck("prices:watch", { symbols });
      const watched = watchedPricesSchema.parse(answer);
      return "error" in watched ? watched.error.code : "watched";
    });
  }

  #set(change: Partial<LiveState>): void {
    if (this.#stop.signal.aborted) return;
    useRealtime.setState(change);
  }

  async #join(): Promise<void> {
    const { signal } = this.#stop;
    for (let failures = 0; !signal.aborted; failures += 1) {
      const me = await this.#deps.readMe().catch(() => null);
      if (signal.aborted) return;
      if (me) return this.#start(me, failures > 0);
      this.#set({ connection: "offline", ready: true });
      await delay(backoffMs(failures), signal);
    }
  }

  async #start({ stream_positions }: Me, isLate: boolean): Promise<void> {
    this.#positions = { ...stream_positions };
    // The account, the requests that wait for it and the connection get tasks of their own.
    await yieldToMain();
    this.#set({ ready: true });
    // Screens have read without waiting for the positions, and may have missed events.
    if (isLate) this.#deps.onStale();
    await yieldToMain();
    if (!this.#stop.signal.aborted) this.#socket.connect();
  }

  #listen(): void {
    const socket = this.#socket;
    socket.on("connect", () => {
      this.#failures = 0;
      this.#set({ connection: "online" });
      this.#watchPrices();
    });
    socket.on("price", (payload) => {
      const { data } = livePriceSchema.safeParse(payload);
      if (data) receivePrice(data);
    });
    socket.on("price:stale", (payload) => {
      const { data } = stalePriceSchema.safeParse(payload);
      if (data) receiveStale(data);
    });
    socket.on("branding", (payload) => {
      queryClient.setQueryData(BRANDING_KEY, brandingFacts(payload));
    });
    socket.on("disconnect", () => {
      stopPrices();
      this.#set({ connection: this.#isPaused ? "paused" : "offline" });
      this.#connectLater();
    });
    socket.on("socket:closed", () => {
      this.#isPaused = true;
    });
    socket.on("connect_error", (error) => {
      this.#set({ connection: "offline" });
      const refusal = refusalSchema.safeParse(error).data;
      if (refusal?.data.code === "unauthenticated") return this.#end("expired");
      this.#connectLater();
    });
    socket.on("session:ended", (payload) => {
      this.#end(sessionEndedSchema.safeParse(payload).data?.reason ?? "expired");
    });
    socket.onAny((name: string, payload: unknown) => {
      const position = positionSchema.safeParse(payload).data;
      if (position) this.#receive(name, position, payload);
    });
    const { signal } = this.#stop;
    globalThis.addEventListener?.("online", this.#connectNow, { signal });
    for (const name of USE_EVENTS) globalThis.addEventListener?.(name, this.#resume, { signal });
  }

  /** Disconnects first: `connect` is ignored while Socket.IO waits for its own next attempt. */
  readonly #connectNow = () => {
    const mayConnect = this.#positions.user !== undefined && !this.#isPaused;
    if (mayConnect && !this.#socket.connected) this.#socket.disconnect().connect();
  };

  /** Not by itself: more tabs than the server allows would close each other's sockets without end. */
  readonly #resume = () => {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#connectNow();
  };

  /** Socket.IO does not reconnect by itself after a refusal or a disconnect by the server. */
  #connectLater(): void {
    if (this.#socket.active || this.#isPaused || this.#stop.signal.aborted) return;
    const waitMs = backoffMs(this.#failures);
    this.#failures += 1;
    void delay(waitMs, this.#stop.signal).then(() => {
      if (!this.#stop.signal.aborted) this.#connectNow();
    });
  }

  #end(reason: SessionEnd): void {
    this.stop();
    this.#deps.onEnded(reason);
  }

  #receive(name: string, position: Position, payload: unknown): void {
    if (this.#stop.signal.aborted) return;
    if (name === "resync") return this.#resync(position);
    const action = classifyEvent(this.#positions, position);
    if (action === "ignore") return;
    if (action === "gap") return this.#fillGap(position);
    const event = parseLiveEvent(name, payload);
    // A newer server may send events that this client does not know.
    if (!event) return this.#resync(position);
    this.#positions[position.stream] = position.seq;
    this.#deps.onEvent(event);
    if (event.name === "account:updated") this.#watchPrices();
  }

  /** On reconnecting, the server sends everything after the last event applied. */
  #fillGap(position: Position): void {
    const last = this.#positions[position.stream] ?? 0;
    if (this.#gapAt === last) return this.#resync(position);
    this.#gapAt = last;
    this.#socket.disconnect().connect();
  }

  /** Reads the state over REST and continues from there. */
  #resync({ stream, seq }: Position): void {
    this.#positions[stream] = seq;
    this.#gapAt = null;
    this.#deps.onStale();
  }
}
