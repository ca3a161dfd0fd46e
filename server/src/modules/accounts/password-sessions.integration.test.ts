import { type Database, openDatabase } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { loadSettings } from "@shared/runtime/settings.ts";
import { PushClient } from "@shared/testing/api-client.ts";
import { createUser, TEST_PASSWORD } from "@shared/testing/factories.ts";
import { type FakeSmtp, startFakeSmtp } from "@shared/testing/fakes/fake-smtp.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { startServer } from "../../start-server.ts";

const NEW_PASSWORD = "a new password";
const WAIT = { timeout: 15_000, interval: 50 };
const ENDED = [{ name: "session:ended", payload: { reason: "password-changed" } }];

type RunningServer = Awaited<ReturnType<typeof startServer>>;

/** Someone's session as a browser has it: a token, and an open socket on one of the servers. */
interface Browser {
  token: string;
  push: PushClient;
}

describe("open sessions, when the password becomes another", () => {
  let smtp: FakeSmtp;
  let databases: Database[];
  let servers: RunningServer[];
  const browsers: Browser[] = [];
  beforeAll(async () => {
    smtp = await startFakeSmtp();
    const uri = testDatabaseUri();
    const settings = loadSettings({
      JWT_SECRET: "a test secret of more than 32 characters",
      ADMIN_PASSWORD: TEST_PASSWORD,
      SMTP_URL: smtp.url,
    });
    const logger = createLogger({ service: "server", level: "silent" });
    databases = [await openDatabase({ uri }), await openDatabase({ uri })];
    servers = [];
    for (const database of databases) {
      servers.push(await startServer({ settings: { ...settings, API_PORT: 0 }, database, logger }));
    }
  });
  afterEach(() => {
    for (const { push } of browsers.splice(0)) push.close();
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await Promise.all(databases.map((database) => database.close()));
    await smtp.close();
  });

  const addressOf = (server: number) => `http://localhost:${servers[server]?.port}`;
  const post = async (path: string, json: unknown, { server = 0, token = "" } = {}) =>
    fetch(addressOf(server) + path, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body: JSON.stringify(json),
    });
  const logIn = async (user: UserRecord, options: { server: number; password?: string }) => {
    const { server, password = TEST_PASSWORD } = options;
    const answer = await post("/login", { username: user.username, password }, { server });
    const { token } = await answer.json();
    const push = new PushClient({ url: addressOf(server), token });
    const browser = { token, push };
    browsers.push(browser);
    await vi.waitFor(() => expect(push.socket.connected).toBe(true), WAIT);
    return browser;
  };
  const newUser = () => {
    const [database] = databases;
    if (!database) throw new Error("no database");
    return createUser(database);
  };
  const statusOf = async ({ token }: Browser, server: number) => {
    const headers = { Authorization: `Bearer ${token}` };
    return (await fetch(`${addressOf(server)}/me`, { headers })).status;
  };
  const expectEnded = async (browser: Browser) => {
    await vi.waitFor(() => expect(browser.push.socket.connected).toBe(false), WAIT);
    expect(browser.push.other).toEqual(ENDED);
    expect([await statusOf(browser, 0), await statusOf(browser, 1)]).toEqual([401, 401]);
  };

  it("end everywhere but where it was changed", async () => {
    const user = await newUser();
    const here = await logIn(user, { server: 0 });
    const elsewhere = [await logIn(user, { server: 0 }), await logIn(user, { server: 1 })];
    const stranger = await logIn(await newUser(), { server: 1 });
    const request = { current_password: TEST_PASSWORD, new_password: NEW_PASSWORD };
    expect((await post("/change-password", request, here)).status).toBe(200);
    for (const browser of elsewhere) await expectEnded(browser);
    expect([await statusOf(here, 0), await statusOf(stranger, 1)]).toEqual([200, 200]);
    expect([here.push.socket.connected, stranger.push.socket.connected]).toEqual([true, true]);

    const reconnected = new Promise<void>((resolve) => here.push.socket.once("connect", resolve));
    here.push.drop();
    await reconnected;
    const afresh = await logIn(user, { server: 1, password: NEW_PASSWORD });
    expect(await statusOf(afresh, 0)).toBe(200);
  });

  it("stay when the current password was wrong", async () => {
    const user = await newUser();
    const here = await logIn(user, { server: 0 });
    const elsewhere = await logIn(user, { server: 1 });
    const request = { current_password: "wrong", new_password: NEW_PASSWORD };
    expect((await post("/change-password", request, here)).status).toBe(403);
    expect([await statusOf(here, 0), await statusOf(elsewhere, 1)]).toEqual([200, 200]);
    expect(elsewhere.push.socket.connected).toBe(true);
    expect(elsewhere.push.other).toEqual([]);
  });

  it("all end when it was reset by mail", async () => {
    const user = await newUser();
    const open = [await logIn(user, { server: 0 }), await logIn(user, { server: 1 })];
    expect((await post("/forgot-password", { email: user.email })).status).toBe(200);
    const token = await vi.waitFor(() => {
      const mail = smtp.mailsTo(user.email).at(-1);
      expect(mail?.token).toMatch(/^[\w-]{43}$/);
      return mail?.token;
    }, WAIT);
    const reset = { token, new_password: NEW_PASSWORD };
    expect((await post("/reset-password", reset, { server: 1 })).status).toBe(200);
    for (const browser of open) await expectEnded(browser);
    const afresh = await logIn(user, { server: 0, password: NEW_PASSWORD });
    expect(await statusOf(afresh, 1)).toBe(200);
  });
});
