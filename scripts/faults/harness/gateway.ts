import { EventEmitter, once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { readText, sendJson } from "@shared/testing/fakes/fake-http.ts";
import { freePort } from "@shared/testing/spawn-service.ts";

/** `error` answers 500, `hang` never answers. */
export type GatewayMode = "pass" | "error" | "hang";

export interface Hold {
  readonly arrived: number;
  /** Lets them and all later ones through. */
  release(): void;
}

interface OpenHold {
  matches: (url: string) => boolean;
  arrived: number;
  released: Promise<unknown>;
}

/** A proxy in front of an outside service, which can hold requests back, hang, fail, or refuse connections. */
export class Gateway {
  readonly url: string;
  readonly #port: number;
  readonly #target: URL;
  readonly #holds = new Set<OpenHold>();
  readonly #onRequest: (body: string) => void;
  #mode: GatewayMode = "pass";
  #server: Server | undefined;

  private constructor(target: string, port: number, onRequest: (body: string) => void) {
    this.#target = new URL(target);
    this.#port = port;
    this.#onRequest = onRequest;
    this.url = `http://127.0.0.1:${port}`;
  }

  /** @param onRequest gets the body of each request that is not hung or failed */
  static async open(
    target: string,
    onRequest: (body: string) => void = () => undefined,
  ): Promise<Gateway> {
    const gateway = new Gateway(target, await freePort(), onRequest);
    await gateway.accept();
    return gateway;
  }

  behave(mode: GatewayMode): void {
    this.#mode = mode;
  }

  /** Holds back later requests whose path and query match. */
  hold(matches: (url: string) => boolean = () => true): Hold {
    const gate = new EventEmitter();
    const hold: OpenHold = { matches, arrived: 0, released: once(gate, "release") };
    this.#holds.add(hold);
    return {
      get arrived() {
        return hold.arrived;
      },
      release: () => {
        this.#holds.delete(hold);
        gate.emit("release");
      },
    };
  }

  async refuse(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  }

  async accept(): Promise<void> {
    if (this.#server) return;
    const server = createServer((incoming, response) => void this.#handle(incoming, response));
    server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#server = server;
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
    for (const hold of [...this.#holds]) {
      if (!hold.matches(incoming.url ?? "")) continue;
      hold.arrived += 1;
      await hold.released;
    }
    await nextTurn();
    if (!response.destroyed) this.#forward(incoming, body, response);
  }

  #forward(
    { method, url, headers }: IncomingMessage,
    body: string,
    response: ServerResponse,
  ): void {
    const { hostname, port } = this.#target;
    request({ hostname, port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    })
      .once("error", () => response.destroy())
      .end(body);
  }
}
