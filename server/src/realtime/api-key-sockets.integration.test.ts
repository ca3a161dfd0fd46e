import {
  API_KEY_SCOPES,
  type ApiKeyScope,
  createdApiKeySchema,
} from "@shared/contract/api-keys.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { commit } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import { PUSH_WAIT, PushClient } from "@shared/testing/api-client.ts";
import { callApi } from "@shared/testing/call-api.ts";
import { createUser, signTokenFor, TEST_PASSWORD } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type LiveServer, startLiveServer } from "../testing/start-live-server.ts";

/** What the contract gives an open socket to notice a change. */
const NOTICE = { timeout: 2_000, interval: 20 };

describe("a socket with an API key", () => {
  let server: LiveServer;
  let user: UserRecord;
  const clients: PushClient[] = [];
  beforeAll(async () => {
    server = await startLiveServer({ databaseUri: testDatabaseUri() });
  });
  beforeEach(async () => {
    user = await createUser(server.database, { approved: true, role: "admin" });
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });
  afterAll(() => server.stop());

  const call = (path: string, options: { method?: string; body?: unknown }) =>
    callApi(server.url + path, { ...options, token: signTokenFor(user, server.settings) });
  const createKey = async (scopes: readonly ApiKeyScope[] = API_KEY_SCOPES) => {
    const { body } = await call("/me/api-keys", { method: "POST", body: { name: "Bot", scopes } });
    return createdApiKeySchema.parse(body);
  };
  const connect = async (key: string) => {
    const client = new PushClient({ url: server.url, token: key, since: { user: 0 } });
    clients.push(client);
    await vi.waitFor(() => expect(client.socket.connected).toBe(true), PUSH_WAIT);
    return client;
  };
  const addEvents = () =>
    commit(server.database, { lockKeys: [userStream(user._id), ADMINS_STREAM] }, async (uow) => {
      uow.addEvent(ADMINS_STREAM, "user:deleted", { username: "somebody" });
      uow.addEvent(userStream(user._id), "history:cleared", {});
    });

  it("gets the events of its user, missed ones too, and none of administrators", async () => {
    await addEvents();
    const { key } = await createKey();
    const client = await connect(key);
    await vi.waitFor(() => expect(client.named("history:cleared")).toHaveLength(1), PUSH_WAIT);
    await addEvents();
    await vi.waitFor(() => expect(client.named("history:cleared")).toHaveLength(2), PUSH_WAIT);
    expect(client.named("user:deleted")).toEqual([]);
  });

  it("needs the scope to read", async () => {
    const { key } = await createKey(["signals", "watchlist"]);
    const client = new PushClient({ url: server.url, token: key });
    clients.push(client);
    const error = await new Promise((resolve) => client.socket.once("connect_error", resolve));
    expect(error).toMatchObject({ data: { code: "key-scope" } });
  });

  it("is closed within two seconds after the key is deleted", async () => {
    const { key, id } = await createKey();
    const other = await createKey();
    const [client, kept] = [await connect(key), await connect(other.key)];
    await call(`/me/api-keys/${id}`, { method: "DELETE" });
    await vi.waitFor(
      () =>
        expect(client.other).toEqual([
          { name: "session:ended", payload: { reason: "revoked-session" } },
        ]),
      NOTICE,
    );
    await vi.waitFor(() => expect(client.socket.connected).toBe(false), NOTICE);
    expect(kept.socket.connected).toBe(true);
  });

  it("is closed within two seconds after the key has expired", async () => {
    const { key } = await createKey();
    const expiresAt = new Date(Date.now() + 1_500);
    await server.database.users.updateOne({ _id: user._id }, { "apiKeys.0.expiresAt": expiresAt });
    const client = await connect(key);
    await vi.waitFor(
      () =>
        expect(client.other).toEqual([{ name: "session:ended", payload: { reason: "expired" } }]),
      { timeout: 3_500, interval: 20 },
    );
  });

  it("is closed when the password is changed", async () => {
    const { key } = await createKey();
    const client = await connect(key);
    const body = { current_password: TEST_PASSWORD, new_password: "a secret of 12 or more" };
    expect((await call("/change-password", { method: "POST", body })).status).toBe(200);
    await vi.waitFor(() => expect(client.socket.connected).toBe(false), NOTICE);
  });
});
