import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { listenLocally, readText, sendJson } from "@shared/testing/fakes/fake-http.ts";

/** `error` answers 500, `hang` never answers. */
type GatewayMode = "pass" | "error" | "hang";

interface Hold {
  arrived: number;
  release(): void;
}

/** A proxy in front of an outside service, which can hold requests back, hang, fail, or refuse connections. */
export class Gateway {
  readonly #target: URL;
  readonly #onRequest: (body: string) => void;
  readonly #holds = new Map<Hold, { matches: (url: string) => boolean; released: Promise<void> }>();
  readonly #server = createServer((incoming, response) => void this.#handle(incoming, response));
  #mode: GatewayMode = "pass";
  #port = 0;

  /** @param onRequest gets the body of each request that is not hung or failed */
  constructor(target: string, onRequest: (body: string) => void = () => undefined) {
    this.#target = new URL(target);
    this.#onRequest = onRequest;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  behave(mode: GatewayMode): void {
    this.#mode = mode;
  }

  hold(matches: (url: string) => boolean = () => true): Readonly<Hold> {
    const hold: Hold = { arrived: 0, release: () => undefined };
    const released = new Promise<void>((resolve) => {
      hold.release = () => {
        this.#holds.delete(hold);
        resolve();
      };
    });
    this.#holds.set(hold, { matches, released });
    return hold;
  }

  async refuse(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  /** Listens, again on the same port. */
  async accept(): Promise<void> {
    if (this.#server.listening) return;
    this.#port = await listenLocally(this.#server, this.#port);
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#mode === "hang") return;
    if (this.#mode === "error") {
      incoming.resume();
      return sendJson(response, { error: { message: "The server had an error." } }, 500);
    }
    const body = await readText(incoming).catch(() => undefined);
    // The client crashed while it was sending.
    if (body === undefined) return;
    this.#onRequest(body);
    for (const [hold, { matches, released }] of [...this.#holds]) {
      if (!matches(incoming.url ?? "")) continue;
      hold.arrived += 1;
      await released;
    }
    await nextTurn();
    if (response.destroyed) return;
    const { method, url: path, headers } = incoming;
    const { hostname, port } = this.#target;
    request({ hostname, port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    })
      .once("error", () => response.destroy())
      .end(body);
  }
}
