import type { UserRecord } from "@shared/database/models/user.ts";
import type { Settings } from "@shared/runtime/settings.ts";
import { PUSH_WAIT, PushClient } from "@shared/testing/api-client.ts";
import { type ApiRequest, callApi } from "@shared/testing/call-api.ts";
import { signTokenFor } from "@shared/testing/factories.ts";
import { vi } from "vitest";

/** Calls a server and opens sockets to it, as any user. */
export class ApiClient {
  readonly #url: string;
  readonly #settings: Pick<Settings, "JWT_SECRET">;
  readonly #sockets: PushClient[] = [];

  constructor(options: { url: string; settings: Pick<Settings, "JWT_SECRET"> }) {
    this.#url = options.url;
    this.#settings = options.settings;
  }

  /** Calls as `user`, or without a session. */
  async call(path: string, options: Omit<ApiRequest, "token"> & { user?: UserRecord } = {}) {
    const { user, ...request } = options;
    const token = user && signTokenFor(user, this.#settings);
    const answer = await callApi(this.#url + path, { ...request, ...(token && { token }) });
    return { status: answer.status, body: answer.body };
  }

  post(user: UserRecord, path: string, body?: unknown) {
    return this.call(path, { method: "POST", user, body });
  }

  /** Opens a socket of `user`, which receives all events from the first. It stays open until `close`. */
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
