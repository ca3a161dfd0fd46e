import { PUSH_WAIT, PushClient } from "@shared/testing/api-client.ts";
import { createUser, newSession, signTokenFor, TEST_PASSWORD } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type LiveServer, startLiveServer } from "../../testing/start-live-server.ts";

describe("the sessions of an account", () => {
  let server: LiveServer;
  const clients: PushClient[] = [];
  beforeAll(async () => {
    server = await startLiveServer({ databaseUri: testDatabaseUri() });
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });
  afterAll(() => server.stop());

  const call = (path: string, token: string, method = "GET") =>
    fetch(`${server.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}` },
    });
  const connect = async (token: string) => {
    const client = new PushClient({ url: server.url, token });
    clients.push(client);
    await vi.waitUntil(() => client.socket.connected, PUSH_WAIT);
    return client;
  };
  /** A user with two sessions, each with a token and an open socket. */
  const twoSessions = async () => {
    const sessions = [newSession(), newSession()];
    const user = await createUser(server.database, { sessions });
    const tokens = sessions.map(({ id }) => signTokenFor(user, server.settings, { sessionId: id }));
    const [here = "", there = ""] = tokens;
    const [hereId = "", thereId = ""] = sessions.map(({ id }) => id);
    return {
      ...{ user, here, there, hereId, thereId },
      ...{ hereTab: await connect(here), thereTab: await connect(there) },
    };
  };

  it("are listed with the browser of each and which one asks", async () => {
    const user = await createUser(server.database);
    const login = await fetch(`${server.url}/login`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "User-Agent": "Firefox on Linux" },
      body: JSON.stringify({ username: user.username, password: TEST_PASSWORD }),
    });
    const { token } = await login.json();
    const { sessions } = await (await call("/me/sessions", token)).json();
    expect(sessions).toEqual([
      expect.objectContaining({ user_agent: "Firefox on Linux", current: true }),
      expect.objectContaining({ id: user.sessions[0]?.id, current: false }),
    ]);
  });

  it("end at logout, with their sockets and without the other sessions", async () => {
    const { here, there, hereTab, thereTab } = await twoSessions();
    expect((await call("/logout", here, "POST")).status).toBe(204);
    expect((await call("/me", here)).status).toBe(401);
    expect((await call("/me", there)).status).toBe(200);
    await vi.waitFor(() => expect(hereTab.socket.connected).toBe(false), PUSH_WAIT);
    expect(hereTab.other).toEqual([{ name: "session:ended", payload: { reason: "logged-out" } }]);
    expect(thereTab.socket.connected).toBe(true);
  });

  it("can be ended from another one", async () => {
    const { here, there, thereId, hereTab, thereTab } = await twoSessions();
    expect((await call(`/me/sessions/${thereId}`, here, "DELETE")).status).toBe(204);
    expect((await call("/me", there)).status).toBe(401);
    await vi.waitFor(() => expect(thereTab.socket.connected).toBe(false), PUSH_WAIT);
    expect(thereTab.other).toEqual([
      { name: "session:ended", payload: { reason: "revoked-session" } },
    ]);
    expect(hereTab.socket.connected).toBe(true);
    expect((await call(`/me/sessions/${thereId}`, here, "DELETE")).status).toBe(404);
  });

  it("of other users cannot be ended", async () => {
    const [one, other] = [await createUser(server.database), await createUser(server.database)];
    const path = `/me/sessions/${other.sessions[0]?.id}`;
    expect((await call(path, signTokenFor(one, server.settings), "DELETE")).status).toBe(404);
    expect((await call("/me", signTokenFor(other, server.settings))).status).toBe(200);
  });

  it("end 30 days after the sign-in, also for an open socket", async () => {
    const leftMs = 1_500;
    const createdAt = new Date(Date.now() - 30 * 24 * 3_600_000 + leftMs);
    const user = await createUser(server.database, { sessions: [newSession({ createdAt })] });
    const token = signTokenFor(user, server.settings);
    const tab = await connect(token);
    await vi.waitFor(() => expect(tab.socket.connected).toBe(false), PUSH_WAIT);
    expect(tab.other).toEqual([{ name: "session:ended", payload: { reason: "expired" } }]);
    expect((await call("/me", token)).status).toBe(401);
  });
});
