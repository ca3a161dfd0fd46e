import type { Me } from "@shared/contract/account.ts";
import {
  type ServerToClientEvents,
  type SocketAuth,
  sessionEndedSchema,
} from "@shared/contract/events.ts";
import { io, type Socket } from "socket.io-client";
import { z } from "zod";
import { backoffMs, delay } from "../backoff.ts";
import { yieldToMain } from "../hydration.ts";
import type { SessionEnd } from "../session.ts";
import {
  classifyEvent,
  type LiveEvent,
  parseLiveEvent,
  positionSchema,
  type StreamPositions,
} from "./events.ts";
import { applyEvent, type LiveState, withAccount } from "./store.ts";

type LiveSocket = Socket<ServerToClientEvents, Record<string, never>>;
type Place = z.infer<typeof positionSchema>;

const refusalSchema = z.object({ data: z.object({ code: z.string() }) });

export interface LiveConnectionDeps {
  origin: string;
  token: string;
  /** `GET /me`; a token that it refuses has ended the session by the time this rejects. */
  readMe(signal: AbortSignal): Promise<Me>;
  store: { setState(change: (state: LiveState) => LiveState): void };
  /** Hears of each event after it has been applied. */
  onEvent(event: LiveEvent): void;
  /** Events were missed for good: everything read over REST is to be read again. */
  onStale(): void;
  onEnded(reason: SessionEnd): void;
}

/**
 * The one live connection of a signed-in tab: joins the streams where `GET /me` says they stand, applies every event
 * once and in order, and catches up after each interruption.
 */
export class LiveConnection {
  readonly #deps: LiveConnectionDeps;
  readonly #stop = new AbortController();
  readonly #socket: LiveSocket;
  #positions: StreamPositions = {};
  /** Where a gap was last seen; a second one at the same place cannot be filled by asking again. */
  #gapAt: number | null = null;
  #failures = 0;

  constructor(deps: LiveConnectionDeps) {
    this.#deps = deps;
    this.#socket = io(deps.origin, {
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

  /** Ends the connection for good. */
  stop(): void {
    this.#stop.abort();
    this.#socket.disconnect();
    globalThis.removeEventListener?.("online", this.#connectNow);
  }

  #set(change: Partial<LiveState>): void {
    if (this.#stop.signal.aborted) return;
    this.#deps.store.setState((state) => ({ ...state, ...change }));
  }

  /** Reads where the streams stand, then connects; what was read over REST before that is read again. */
  async #join(): Promise<void> {
    let late = false;
    const me = await this.#readAccount(() => {
      late = true;
      this.#set({ connection: "offline", ready: true });
    });
    if (!me) return;
    this.#positions = { ...me.stream_positions };
    if (late) this.#deps.onStale();
    // The screens take up the account in this task already.
    await yieldToMain();
    if (!this.#stop.signal.aborted) this.#socket.connect();
  }

  /** Reads the account, again and again until it is there; null once the connection has been stopped. */
  async #readAccount(onFailure?: () => void): Promise<Me | null> {
    const { signal } = this.#stop;
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      const me = await this.#deps.readMe(signal).catch(() => null);
      if (signal.aborted) return null;
      if (me) {
        this.#deps.store.setState((state) => withAccount(state, me));
        return me;
      }
      onFailure?.();
      await delay(backoffMs(attempt), signal);
    }
    return null;
  }

  #listen(): void {
    const socket = this.#socket;
    socket.on("connect", () => {
      this.#failures = 0;
      this.#set({ connection: "online" });
    });
    socket.on("disconnect", () => {
      this.#set({ connection: "offline" });
      this.#connectLater();
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
      const place = positionSchema.safeParse(payload).data;
      if (place && typeof payload === "object" && payload) this.#receive(name, place, payload);
    });
    globalThis.addEventListener?.("online", this.#connectNow);
  }

  /** Disconnecting ends the wait for Socket.IO's own next attempt, during which it ignores `connect`. */
  readonly #connectNow = () => {
    const hasJoined = this.#positions.user !== undefined;
    if (hasJoined && !this.#socket.connected) this.#socket.disconnect().connect();
  };

  /** Socket.IO tries again by itself after a broken transport, but not after a refusal or a server's goodbye. */
  #connectLater(): void {
    if (this.#socket.active || this.#stop.signal.aborted) return;
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

  #receive(name: string, place: Place, payload: object): void {
    if (this.#stop.signal.aborted) return;
    if (name === "resync") return this.#resync(place);
    const verdict = classifyEvent(this.#positions, place);
    if (verdict === "ignore") return;
    if (verdict === "gap") return this.#fillGap(place);
    const event = parseLiveEvent(name, payload);
    // A newer server may tell of what this client cannot read; the state it tells of can be.
    if (!event) return this.#resync(place);
    this.#positions[place.stream] = place.seq;
    this.#deps.store.setState((state) => applyEvent(state, event));
    this.#deps.onEvent(event);
  }

  /** Connecting anew brings everything after the last event applied. */
  #fillGap(place: Place): void {
    const last = this.#positions[place.stream] ?? 0;
    if (this.#gapAt === last) return this.#resync(place);
    this.#gapAt = last;
    this.#socket.disconnect().connect();
  }

  /** Has the state read over REST and continues from there. */
  #resync({ stream, seq }: Place): void {
    this.#positions[stream] = seq;
    this.#gapAt = null;
    void this.#readAccount();
    this.#deps.onStale();
  }
}
