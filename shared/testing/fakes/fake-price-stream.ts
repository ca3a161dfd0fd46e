import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { z } from "zod";

const requestSchema = z.object({
  method: z.enum(["SUBSCRIBE", "UNSUBSCRIBE"]),
  params: z.array(z.string()),
  id: z.union([z.number(), z.string()]),
});

/** `silent`: connections stay open, but nothing is sent any more, not even an answer to a ping. */
type StreamBehaviour = "ok" | "refused" | "silent";

/** The WebSocket of Binance: clients subscribe to streams such as `btcusdt@miniTicker`. */
export class FakePriceStream {
  readonly #server = new WebSocketServer({ noServer: true, autoPong: false });
  readonly #streams = new Map<WebSocket, Set<string>>();
  #behaviour: StreamBehaviour = "ok";
  /** Connections that were ever accepted. */
  accepted = 0;

  readonly accept = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    if (this.#behaviour === "refused") return void socket.destroy();
    this.#server.handleUpgrade(request, socket, head, (client) => this.#serve(client));
  };

  behave(behaviour: StreamBehaviour): void {
    this.#behaviour = behaviour;
  }

  get open(): number {
    return this.#streams.size;
  }

  /** Each stream as often as connections are subscribed to it. */
  get subscribed(): string[] {
    return [...this.#streams.values()].flatMap((streams) => [...streams]).sort();
  }

  /** Sends a price to all who are subscribed to it. */
  send(symbol: string, price: number): void {
    if (this.#behaviour === "silent") return;
    const id = symbol.replace("/", "");
    const [last, volume, at] = [String(price), "1000", Date.now()];
    const [o, h, l] = [last, last, last];
    const ticker = { e: "24hrMiniTicker", E: at, s: id, c: last, o, h, l, v: volume, q: volume };
    const stream = `${id.toLowerCase()}@miniTicker`;
    for (const [client, streams] of this.#streams) {
      if (streams.has(stream)) client.send(JSON.stringify(ticker));
    }
  }

  /** Cuts all connections. */
  drop(): void {
    for (const client of this.#streams.keys()) client.terminate();
  }

  #serve(client: WebSocket): void {
    const streams = new Set<string>();
    this.accepted += 1;
    this.#streams.set(client, streams);
    client.on("close", () => this.#streams.delete(client));
    client.on("ping", (data) => this.#behaviour !== "silent" && client.pong(data));
    client.on("message", (data) => {
      if (this.#behaviour === "silent") return;
      const { method, params, id } = requestSchema.parse(JSON.parse(String(data)));
      for (const stream of params) {
        if (method === "SUBSCRIBE") streams.add(stream);
        else streams.delete(stream);
      }
      client.send(JSON.stringify({ result: null, id }));
    });
  }
}
