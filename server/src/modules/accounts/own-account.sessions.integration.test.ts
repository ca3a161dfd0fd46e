import type { SessionEndReason } from "@shared/contract/events.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { PUSH_WAIT, PushClient } from "@shared/testing/api-client.ts";
import { createUser, newSession, signTokenFor, TEST_PASSWORD } from "@shared/testing/factories.ts";
import { type FakeSmtp, startFakeSmtp } from "@shared/testing/fakes/fake-smtp.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type LiveServer, startLiveServer } from "../../testing/start-live-server.ts";

describe("the sessions of an account", () => {
  let server: LiveServer;
  let smtp: FakeSmtp;
  const clients: PushClient[] = [];
  beforeAll(async () => {
    smtp = await startFakeSmtp();
    const env = { SMTP_URL: smtp.url };
    server = await startLiveServer({ databaseUri: testDatabaseUri(), env });
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });
  afterAll(async () => {
    await server.stop();
    await smtp.close();
  });

  const call = (path: string, token: string, request: RequestInit = {}) =>
    fetch(`${server.url}${path}`, { ...request, headers: { Authorization: `Bearer ${token}` } });
  const connect = async (token: string) => {
    const client = new PushClient({ url: server.url, token });
    clients.push(client);
    await vi.waitUntil(() => client.socket.connected, PUSH_WAIT);
    return client;
  };
  /** The token of a session that has ended. */
  const expectRefused = async (token: string) => {
    for (const method of ["GET", "POST"]) {
      const path = method === "GET" ? "/me" : "/resend-verification";
      expect((await call(path, token, { method })).status).toBe(401);
    }
    const client = new PushClient({ url: server.url, token });
    clients.push(client);
    const error = await new Promise((resolve) => client.socket.once("connect_error", resolve));
    expect(error).toMatchObject({ data: { code: "unauthenticated" } });
  };
  /** A user with 50 sessions. The first and the last have a token and an open socket. */
  const twoSessions = async () => {
    const sessions = [newSession(), newSession()];
    const [first = newSession(), last = newSession()] = sessions;
    const others = Array.from({ length: 48 }, () => newSession());
    const user = await createUser(server.database, { sessions: [first, ...others, last] });
    const tokens = sessions.map(({ id }) => signTokenFor(user, server.settings, { sessionId: id }));
    const [there = "", here = ""] = tokens;
    const thereId = first.id;
    return {
      user,
      here,
      there,
      thereId,
      hereTab: await connect(here),
      thereTab: await connect(there),
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

  const adminToken = async () =>
    signTokenFor(await createUser(server.database, { role: "admin" }), server.settings);
  const form = (fields: Record<string, string>) => new URLSearchParams(fields);
  const resetPassword = async ({ email }: UserRecord) => {
    await call("/forgot-password", "", { method: "POST", body: form({ email }) });
    const { token } = await vi.waitUntil(() => smtp.mailsTo(email).at(-1), PUSH_WAIT);
    const body = form({ token, new_password: "a new password" });
    return call("/reset-password", "", { method: "POST", body });
  };
  const signIn = ({ username }: UserRecord) =>
    call("/login", "", { method: "POST", body: form({ username, password: TEST_PASSWORD }) });

  type Scene = Awaited<ReturnType<typeof twoSessions>>;
  const WAYS_TO_END: {
    way: string;
    end: (scene: Scene) => Promise<Response>;
    reason: SessionEndReason;
    endsAll?: true;
  }[] = [
    {
      way: "by its own logout",
      end: ({ there }) => call("/logout", there, { method: "POST" }),
      reason: "logged-out",
    },
    {
      way: "from another session",
      end: ({ here, thereId }) => call(`/me/sessions/${thereId}`, here, { method: "DELETE" }),
      reason: "revoked-session",
    },
    {
      way: "by a changed password",
      end: ({ here }) => {
        const body = form({ current_password: TEST_PASSWORD, new_password: "a new password" });
        return call("/change-password", here, { method: "POST", body });
      },
      reason: "password-changed",
    },
    {
      way: "by a password reset",
      end: ({ user }) => resetPassword(user),
      reason: "password-changed",
      endsAll: true,
    },
    {
      way: "by another role",
      end: async ({ user }) => {
        const body = form({ role: "admin", password: TEST_PASSWORD });
        const path = `/admin/set-role/${user.username}`;
        return call(path, await adminToken(), { method: "POST", body });
      },
      reason: "role-changed",
      endsAll: true,
    },
    {
      way: "by an administrator",
      end: async ({ user }) => {
        const body = form({ role: "user", password: TEST_PASSWORD });
        const path = `/admin/set-role/${user.username}`;
        return call(path, await adminToken(), { method: "POST", body });
      },
      reason: "revoked-session",
      endsAll: true,
    },
    {
      way: "with its user",
      end: async ({ user }) =>
        call(`/admin/delete-user/${user.username}`, await adminToken(), { method: "POST" }),
      reason: "deleted",
      endsAll: true,
    },
    {
      way: "by a fifty-first session",
      end: ({ user }) => signIn(user),
      reason: "revoked-session",
    },
  ];

  it.each(WAYS_TO_END)(
    "end $way: over REST, on open sockets and for new ones",
    async ({ end, reason, endsAll }) => {
      const scene = await twoSessions();
      const { here, there, hereTab, thereTab } = scene;
      expect((await end(scene)).ok).toBe(true);
      await vi.waitFor(() => expect(thereTab.socket.connected).toBe(false), PUSH_WAIT);
      expect(thereTab.other).toEqual([{ name: "session:ended", payload: { reason } }]);
      await expectRefused(there);
      if (endsAll) await expectRefused(here);
      else expect((await call("/me", here)).status).toBe(200);
      expect(hereTab.socket.connected).toBe(endsAll === undefined);
    },
  );

  it("end 24 hours after their last use, also for new sockets", async () => {
    const lastSeenAt = new Date(Date.now() - 24 * 3_600_000);
    const user = await createUser(server.database, { sessions: [newSession({ lastSeenAt })] });
    await expectRefused(signTokenFor(user, server.settings));
  });

  it("of other users cannot be ended", async () => {
    const one = await createUser(server.database);
    const other = await createUser(server.database);
    const path = `/me/sessions/${other.sessions[0]?.id}`;
    expect(
      (await call(path, signTokenFor(one, server.settings), { method: "DELETE" })).status,
    ).toBe(404);
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
    await expectRefused(token);
  });
});
