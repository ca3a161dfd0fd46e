import type { UserRecord } from "@shared/node/models/user.ts";
import type { Settings } from "@shared/node/settings.ts";
import { vi } from "vitest";
import { signTokenFor } from "./factories.ts";
import { PushClient } from "./push-client.ts";

/** How long a test waits for what is pushed. */
export const PUSH_WAIT = { timeout: 15_000, interval: 20 };

/** An answer of the API with its JSON already read. */
export interface JsonAnswer {
  status: number;
  body: unknown;
}

/** Calls a server and opens sockets to it, as whichever user. */
export class ApiClient {
  readonly #url: string;
  readonly #settings: Pick<Settings, "JWT_SECRET">;
  readonly #sockets: PushClient[] = [];

  constructor(options: { url: string; settings: Pick<Settings, "JWT_SECRET"> }) {
    this.#url = options.url;
    this.#settings = options.settings;
  }

  /** Calls as `user`, or as a visitor. */
  async call(path: string, options: RequestInit & { user?: UserRecord } = {}): Promise<JsonAnswer> {
    const { user, ...init } = options;
    const headers = new Headers(init.headers);
    if (user) headers.set("Authorization", `Bearer ${signTokenFor(user, this.#settings)}`);
    const answer = await fetch(this.#url + path, { ...init, headers });
    return { status: answer.status, body: await answer.json() };
  }

  /** `POST` as `user`, with or without a body. */
  post(user: UserRecord, path: string, body?: BodyInit): Promise<JsonAnswer> {
    return this.call(path, { method: "POST", user, ...(body && { body }) });
  }

  /** A socket of `user`, open until `close`, which gets all that was told to him from the first event on. */
  async connect(user: UserRecord): Promise<PushClient> {
    const client = new PushClient({
      url: this.#url,
      token: signTokenFor(user, this.#settings),
      since: { user: 0, admins: 0 },
    });
    this.#sockets.push(client);
    await vi.waitUntil(() => client.socket.connected, PUSH_WAIT);
    return client;
  }

  close(): void {
    for (const client of this.#sockets.splice(0)) client.close();
  }
}

/** A JSON body for `fetch`, with its type. */
export const jsonBody = (value: unknown): Blob =>
  new Blob([JSON.stringify(value)], { type: "application/json" });
