import {
  API_KEY_SCOPES,
  type ApiKeyScope,
  createdApiKeySchema,
} from "@shared/contract/api-keys.ts";
import { ROUTES } from "@shared/contract/routes/all-routes.ts";
import { keyScopesOf } from "@shared/contract/routes/define-route.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { createUser, signTokenFor, TEST_PASSWORD } from "@shared/testing/factories.ts";
import { type FakeSmtp, startFakeSmtp } from "@shared/testing/fakes/fake-smtp.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

const ALL = [...API_KEY_SCOPES];

describe("API keys", () => {
  let smtp: FakeSmtp;
  let server: TestServer;
  let user: UserRecord;
  beforeAll(async () => {
    smtp = await startFakeSmtp();
    server = await startTestServer({
      databaseUri: testDatabaseUri(),
      environment: { SMTP_URL: smtp.url },
    });
  });
  afterAll(async () => {
    await server.stop();
    await smtp.close();
  });
  beforeEach(async () => {
    user = await createUser(server.database, { approved: true });
  });

  const token = () => signTokenFor(user, server.deps.settings);
  const create = (json: object) => server.call("/me/api-keys", { json, token: token() });
  const createKey = async (scopes: readonly ApiKeyScope[] = ALL, more: object = {}) =>
    createdApiKeySchema.parse(await (await create({ name: "Bot", scopes, ...more })).json());
  const call = async (key: string, path: string, options: object = {}) => {
    const response = await server.call(path, { token: key, ...options });
    const body = response.status === 204 ? {} : await response.json().catch(() => ({}));
    return { status: response.status, code: body.code, body, headers: response.headers };
  };
  const list = async () => (await call(token(), "/me/api-keys")).body.keys;
  const stored = () => server.database.users.findById(user._id).lean();
  const logged = async (type: string) =>
    (await server.database.securityLog.find({ user: user.username, type }).lean()).map(
      ({ details }) => details,
    );

  it("are shown once, listed by their prefix and stored as a hash", async () => {
    const response = await create({
      name: " My bot ",
      scopes: ["signals", "read"],
      expires_in_days: 30,
    });
    expect(response.status).toBe(201);
    const { key, ...shown } = createdApiKeySchema.parse(await response.json());
    expect(key).toMatch(/^ats_[\w-]{32,}$/);
    expect(shown).toMatchObject({
      name: "My bot",
      scopes: ["read", "signals"],
      last_used_at: null,
    });
    expect(key.startsWith(shown.prefix)).toBe(true);
    expect(Date.parse(String(shown.expires_at)) - Date.parse(shown.created_at)).toBe(
      30 * 86_400_000,
    );
    expect(await list()).toEqual([shown]);
    expect(JSON.stringify(await stored())).not.toContain(key.slice(20));
    expect(await logged("api-key:created")).toEqual([
      { key: shown.prefix, scopes: "read, signals" },
    ]);
    expect(
      JSON.stringify(await (await server.call("/me/data", { token: token() })).json()),
    ).toContain(shown.prefix);
  });

  it("are refused without a name, a scope or a sensible expiry", async () => {
    for (const wrong of [
      { scopes: ["read"] },
      { name: "", scopes: ["read"] },
      { name: "Bot", scopes: [] },
      { name: "Bot", scopes: ["admin"] },
      { name: "Bot", scopes: ["read"], expires_in_days: 0 },
      { name: "Bot", scopes: ["read"], expires_in_days: 1.5 },
    ]) {
      expect((await create(wrong)).status).toBe(422);
    }
  });

  it("number at most ten, also of those created at the same time; expired ones give way", async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => createStatus()));
    expect(answers.filter((status) => status === 201)).toHaveLength(10);
    expect(answers.filter((status) => status === 422)).toHaveLength(2);
    await server.database.users.updateOne(
      { _id: user._id },
      { $set: { "apiKeys.0.expiresAt": new Date(0) } },
    );
    expect(await createStatus()).toBe(201);
    expect(await list()).toHaveLength(10);
  });
  const createStatus = async () => (await create({ name: "Bot", scopes: ["read"] })).status;

  it("show when they were used last", async () => {
    const { key } = await createKey();
    const answer = await call(key, "/me");
    expect(answer).toMatchObject({ status: 200, body: { username: user.username } });
    expect(await list()).toMatchObject([{ last_used_at: expect.any(String) }]);
  });

  it("end at once when they are deleted or have expired, also on public routes", async () => {
    const { key, id, prefix } = await createKey();
    const other = await createKey();
    expect((await call(token(), `/me/api-keys/${id}`, { method: "DELETE" })).status).toBe(204);
    expect(await call(key, "/me")).toMatchObject({ status: 401, code: "unauthenticated" });
    expect((await call(key, "/branding")).status).toBe(401);
    expect((await call(token(), `/me/api-keys/${id}`, { method: "DELETE" })).status).toBe(404);
    expect(await logged("api-key:ended")).toEqual([{ key: prefix }]);
    await server.database.users.updateOne(
      { _id: user._id },
      { $set: { "apiKeys.$[].expiresAt": new Date() } },
    );
    expect((await call(other.key, "/me")).status).toBe(401);
  });

  it("of others cannot be ended", async () => {
    const { id } = await createKey();
    const stranger = await createUser(server.database);
    const foreign = signTokenFor(stranger, server.deps.settings);
    expect((await call(foreign, `/me/api-keys/${id}`, { method: "DELETE" })).status).toBe(404);
  });

  it.each(["ats_", "ats_short", `ats_${"A".repeat(59)}`, `ats_${"-".repeat(43)}${"_".repeat(16)}`])(
    "that are none are refused: %s",
    async (key) => {
      expect(await call(key, "/me")).toMatchObject({ status: 401, code: "unauthenticated" });
    },
  );

  it("have the access of their user, and no more", async () => {
    const { key } = await createKey();
    expect((await call(key, "/signal-history")).status).toBe(200);
    const { users } = server.database;
    await users.updateOne({ _id: user._id }, { approved: false });
    expect(await call(key, "/signal-history")).toMatchObject({ status: 403, code: "not-approved" });
    await users.updateOne({ _id: user._id }, { role: "admin", approved: true });
    expect(await call(key, "/admin/overview")).toMatchObject({ status: 403, code: "key-scope" });
    await users.deleteOne({ _id: user._id });
    expect((await call(key, "/me")).status).toBe(401);
  });

  it("of an administrator read no signals of others", async () => {
    user = await createUser(server.database, { approved: true, role: "admin" });
    const { key } = await createKey();
    const me = await call(key, "/me/notifications");
    expect(me.status).toBe(200);
    expect((await call(key, `/signals/${"0".repeat(24)}/since`)).status).toBe(404);
  });

  it("end with a change of the password", async () => {
    const { key } = await createKey();
    const json = { current_password: TEST_PASSWORD, new_password: "a secret of 12" };
    expect((await call(token(), "/change-password", { json })).status).toBe(200);
    expect((await call(key, "/me")).status).toBe(401);
    expect(await list()).toEqual([]);
  });

  it("are reported to their owner by email", async () => {
    const { prefix } = await createKey();
    await server.deps.background.settled();
    const [mail] = smtp.mailsTo(user.email);
    expect(mail?.text).toContain(`An API key was created: "Bot" (${prefix}…)`);
  });

  it("share one limit of their user, which the headers show", async () => {
    const [one, two] = [await createKey(), await createKey()];
    const first = await call(one.key, "/me");
    const second = await call(two.key, "/me");
    expect(first.headers.get("RateLimit-Limit")).toBe("600");
    expect(first.headers.get("RateLimit-Remaining")).toBe("599");
    expect(second.headers.get("RateLimit-Remaining")).toBe("598");
    expect(Number(second.headers.get("RateLimit-Reset"))).toBeGreaterThan(0);
    const session = await call(token(), "/me");
    expect(session.headers.get("RateLimit-Limit")).toBeNull();
  });

  it("share the limits of calls with the sessions of their user", async () => {
    const { key } = await createKey();
    const add = async (bearer: string) =>
      (await call(bearer, "/watchlist", { json: { symbol: "BTC/USDT", timeframe: "1h" } })).headers;
    await add(token());
    expect((await add(key)).get("RateLimit-Remaining")).toBe("118");
  });

  it("are known by their prefix in the security log of refused calls", async () => {
    const { key, prefix } = await createKey(["read"]);
    expect((await call(key, "/watchlist", { json: {} })).code).toBe("key-scope");
    await server.deps.background.settled();
    expect(await logged("access:refused")).toEqual([
      { key: prefix, route: "POST /watchlist", reason: "key-scope" },
    ]);
  });

  it("are counted for administrators, who see nothing else of them", async () => {
    const { prefix } = await createKey();
    const admin = await createUser(server.database, { role: "admin", approved: true });
    const bearer = signTokenFor(admin, server.deps.settings);
    const { body } = await call(bearer, `/admin/users/${user.username}`);
    expect(body.api_keys).toBe(1);
    expect(JSON.stringify(body)).not.toContain(prefix);
  });

  describe("are open for what their scopes say, and nothing else", () => {
    const routes = ROUTES.filter(({ usesDatabase }) => usesDatabase !== false);
    const callRoute = (key: string, { path, method }: (typeof routes)[number]) =>
      call(key, path.replace(":username", "victim").replaceAll(/:\w+/g, "0".repeat(24)), {
        method,
      });

    it.each(API_KEY_SCOPES)("%s", async (scope) => {
      const { key } = await createKey([scope]);
      const open = routes.filter((route) => keyScopesOf(route).includes(scope));
      expect(open.length).toBeGreaterThan(0);
      for (const route of open) {
        const { status, code } = await callRoute(key, route);
        expect(code, route.name).not.toBe("key-scope");
        expect(status, route.name).not.toBe(401);
      }
    });

    it("not to a key with all other scopes", async () => {
      const keys = new Map<string, string>();
      for (const route of routes) {
        const others = API_KEY_SCOPES.filter((scope) => !keyScopesOf(route).includes(scope));
        if (others.length === 0) continue;
        const key = keys.get(others.join()) ?? (await createKey(others)).key;
        keys.set(others.join(), key);
        const { status, code } = await callRoute(key, route);
        expect({ route: route.name, status, code }).toEqual({
          route: route.name,
          status: 403,
          code: "key-scope",
        });
      }
    });

    it("never for accounts, sessions, passwords, keys and administration", () => {
      const closed =
        /^\/(admin|me\/(sessions|two-factor|api-keys|data)|login|logout|register|change-password|reset-password|forgot-password|channels\/:id\/(test|rotate)|submit)/;
      for (const route of ROUTES) {
        if (closed.test(route.path)) expect(keyScopesOf(route), route.name).toEqual([]);
        if (route.method !== "GET" && route.access !== "approved" && route.path !== "/mcp") {
          expect(keyScopesOf(route), route.name).toEqual([]);
        }
      }
    });
  });
});
