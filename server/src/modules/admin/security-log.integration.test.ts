import { securityLogPageSchema } from "@shared/contract/security-log.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { commit } from "@shared/outbox/commit.ts";
import { createUser, TEST_PASSWORD } from "@shared/testing/factories.ts";
import { createSignals } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { Secret, TOTP } from "otpauth";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { ApiClient } from "../../testing/start-live-server.ts";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

const lineSchema = z.looseObject({
  level: z.literal(30),
  msg: z.literal("security event"),
  event: securityLogPageSchema.shape.entries.element.strict(),
});
const CONTROL_CHARACTERS = /\p{Cc}/u;

describe("the security log", () => {
  let server: TestServer;
  let api: ApiClient;
  let root: UserRecord;
  let ann: UserRecord;
  beforeAll(async () => {
    server = await startTestServer({
      databaseUri: testDatabaseUri(),
      environment: { RATE_LIMIT: "off" },
    });
    api = new ApiClient({ url: server.url, settings: server.deps.settings });
  });
  beforeEach(async () => {
    const { users, identities, securityLog } = server.database;
    await Promise.all([users, identities].map((model) => model.deleteMany()));
    await securityLog.collection.deleteMany({});
    server.logLines.length = 0;
    root = await createUser(server.database, { username: "Root", role: "admin", approved: true });
    ann = await createUser(server.database, { username: "Ann", approved: true });
  });
  afterAll(() => server.stop());

  const read = async (query = "") => {
    await server.deps.background.settled();
    const { status, body } = await api.call(`/admin/security-log${query}`, { user: root });
    expect(status).toBe(200);
    return securityLogPageSchema.strict().parse(body);
  };
  /** Type, actor, user and details, oldest first. */
  const entries = async (query = "") =>
    (await read(query)).entries
      .map(({ type, actor, user, details }) => [type, actor, user, details])
      .reverse();
  const act = async (user: UserRecord, path: string, body?: unknown) =>
    expect((await api.post(user, path, body)).status).toBeLessThan(300);
  const logIn = (username: string, password: string, headers: Record<string, string> = {}) =>
    server.call("/login", { json: { username, password }, headers });
  const lines = () =>
    server.logLines.filter((line) => line.includes('"security event"')).map((line) => line.trim());

  it("records what administrators do, to whom, with the old and the new payment details", async () => {
    await createSignals(server.database, ann, { count: 2 });
    await act(root, "/admin/revoke/ann");
    await act(root, "/admin/approve/ann");
    await act(root, "/admin/set-image-access/ann", { allow: true });
    await act(root, "/admin/grant-image-credits/ann", { credits: 12 });
    await act(root, "/admin/grant-image-credits/ann", { credits: -20 });
    await act(root, "/admin/delete-signal-history/ann");
    await act(root, "/admin/update-payment-details", {
      wise_details: "IBAN DE89 3704 0044 0532 0130 00",
    });
    await act(root, "/admin/update-payment-details", { wise_details: "wise@example.com" });
    await act(root, "/admin/set-role/ann", { role: "admin", password: TEST_PASSWORD });
    await act(root, "/admin/delete-user/ann");
    const payment = { field: "wise_details", before: "" };
    const masked = "IBAN DE•• •••• •••• •••• ••30 00";
    expect(await entries()).toEqual([
      ["approval:changed", "Root", "Ann", { approved: false }],
      ["approval:changed", "Root", "Ann", { approved: true }],
      ["image-access:changed", "Root", "Ann", { allowed: true }],
      ["credits:granted", "Root", "Ann", { credits: 12, image_credits: 12 }],
      ["credits:granted", "Root", "Ann", { credits: -12, image_credits: 0 }],
      ["history:cleared", "Root", "Ann", { signals: 2 }],
      ["payment-details:changed", "Root", null, { ...payment, after: masked }],
      [
        "payment-details:changed",
        "Root",
        null,
        { ...payment, before: masked, after: "wise@example.com" },
      ],
      ["role:changed", "Root", "Ann", { role: "admin" }],
      ["user:deleted", "Root", "Ann", {}],
    ]);
  });

  it("records sign-ins with address and device, and how sessions end", async () => {
    const headers = { "User-Agent": "Firefox", "X-Request-Id": "request-1" };
    const { token } = await (await logIn("ann@example.com", TEST_PASSWORD, headers)).json();
    await server.call("/logout", { method: "POST", token });
    const own = ["Ann", "Ann"];
    expect(await entries()).toEqual([
      ["sign-in:succeeded", ...own, { second_factor: false }],
      ["session:ended", ...own, { reason: "logged-out" }],
    ]);
    const [, signIn] = (await read()).entries;
    expect(signIn).toMatchObject({ device: "Firefox", request_id: "request-1" });
    expect(signIn?.address).toBe("127.0.0.1");
  });

  it("records the second factor, its codes, and passwords", async () => {
    const { body } = await api.post(ann, "/me/two-factor");
    const secret = z.object({ secret: z.string() }).parse(body).secret;
    const totp = new TOTP({ secret: Secret.fromBase32(secret) });
    const confirmed = await api.post(ann, "/me/two-factor/confirm", { code: totp.generate() });
    const [recoveryCode] = z
      .object({ recovery_codes: z.array(z.string()) })
      .parse(confirmed.body).recovery_codes;
    const password = TEST_PASSWORD;
    for (const code of [undefined, "000000", recoveryCode]) {
      await server.call("/login", { json: { username: "ann", password, code } });
    }
    await api.post(ann, "/change-password", {
      current_password: "wrong",
      new_password: "new-password-1",
    });
    await act(ann, "/change-password", {
      current_password: password,
      new_password: "new-password-1",
    });
    await server.call("/forgot-password", { json: { email: ann.email } });
    const own = ["Ann", "Ann"];
    const recorded = await entries();
    expect(recorded).toHaveLength(8);
    expect(recorded).toEqual(
      expect.arrayContaining([
        ["two-factor:on", ...own, {}],
        ["sign-in:code-required", null, "Ann", {}],
        ["sign-in:failed", null, "Ann", { reason: "invalid-code" }],
        ["recovery-code:used", ...own, {}],
        ["sign-in:succeeded", ...own, { second_factor: true }],
        ["reauthentication:failed", ...own, { route: "POST /change-password" }],
        ["password:changed", ...own, {}],
        ["password:reset-requested", null, "Ann", {}],
      ]),
    );
    const stored = JSON.stringify([lines(), await server.database.securityLog.find().lean()]);
    for (const text of [password, "new-password-1", secret, recoveryCode]) {
      expect(stored).not.toContain(text);
    }
  });

  it("records failed sign-ins without the password, and the name only if a user has it", async () => {
    await logIn("ann", "not-her-password");
    await logIn("typed-a-Passw0rd-here", "x");
    const recorded = await entries("?type=sign-in:failed");
    expect(recorded).toHaveLength(2);
    expect(recorded).toEqual(
      expect.arrayContaining([
        ["sign-in:failed", null, "Ann", { reason: "invalid-password" }],
        ["sign-in:failed", null, null, { reason: "unknown-user" }],
      ]),
    );
    const stored = JSON.stringify([
      server.logLines,
      await server.database.securityLog.find().lean(),
    ]);
    expect(stored).not.toMatch(/not-her-password|typed-a/);
  });

  it.each(["/LOGIN", "/login/", "/Login"])("records failed sign-ins at %s", async (path) => {
    const json = { username: " ANN ", password: "not-her-password" };
    await server.call(path, { json });
    expect(await entries("?type=sign-in:failed")).toEqual([
      ["sign-in:failed", null, "Ann", { reason: "invalid-password" }],
    ]);
  });

  it("cannot be filled by repeated failures", async () => {
    const tries = Array.from({ length: 30 }, (_, index) => index);
    await Promise.all(tries.map(() => api.call("/admin/usage", { user: ann })));
    await Promise.all(tries.map((index) => logIn("ann", `guess ${index}`)));
    expect(await entries("?type=sign-in:failed")).toHaveLength(20);
    expect(await entries("?type=access:refused")).toHaveLength(20);
  });

  it("records access that an administrator's route refuses", async () => {
    await api.call("/admin/list-users", { user: ann });
    await api.post(ann, "/admin/approve/ann");
    expect(await entries()).toEqual(
      expect.arrayContaining([
        ["access:refused", "Ann", "Ann", { route: "GET /admin/list-users", reason: "not-admin" }],
        [
          "access:refused",
          "Ann",
          "Ann",
          { route: "POST /admin/approve/:username", reason: "not-admin" },
        ],
      ]),
    );
  });

  it("holds nothing that did not happen", async () => {
    await api.post(root, "/admin/approve/ann");
    await api.post(root, "/admin/approve/unknown");
    await api.post(root, "/admin/delete-user/root");
    await api.post(root, "/admin/grant-image-credits/ann", { credits: "1e3" });
    await api.call("/me", { user: ann });
    expect(await entries()).toEqual([]);
  });

  it("has an entry and a line exactly if the change is committed", async () => {
    const { database } = server;
    const write = (fails: boolean) =>
      commit(database, { lockKeys: "test" }, (uow) => {
        uow.log({ type: "two-factor:off", user: "Ann" });
        if (fails) throw new Error("rolled back");
      });
    await expect(write(true)).rejects.toThrow("rolled back");
    expect([await entries(), lines()]).toEqual([[], []]);
    await write(false);
    expect(await entries()).toHaveLength(1);
    expect(lines()).toHaveLength(1);
  });

  it("writes one line of JSON for each entry, whatever text it contains", async () => {
    const device = 'Agent\u009b2J\u0085 "};{"level":60}';
    await logIn("ann", "wrong", { "User-Agent": device });
    const text = 'first\nsecond\r\n{"level":60,"msg":"forged"}\u0007\u001b[31m\u2028';
    await act(root, "/admin/update-payment-details", { skrill_details: text });
    const shown = (await read()).entries;
    expect(shown).toHaveLength(2);
    const parsed = lines().map((line) => lineSchema.parse(JSON.parse(line)).event);
    expect(parsed).toHaveLength(2);
    expect(shown).toEqual(expect.arrayContaining(parsed));
    expect(lines().filter((line) => CONTROL_CHARACTERS.test(line))).toEqual([]);
    expect(shown.map((entry) => entry.details.after)).toContain(text);
  });

  it("masks a secret by its field name, should one ever be among the details of a line", async () => {
    const details = { password: "a-password", token: "a-token" };
    await commit(server.database, { lockKeys: "test" }, (uow) =>
      uow.log({ type: "data:exported", user: "Ann", details }),
    );
    expect(lines()[0]).not.toMatch(/a-password|a-token/);
  });

  it("is filtered by type, group, user, actor and period, and read page by page", async () => {
    const noon = Date.parse("2026-03-01T12:00:00.000Z");
    const types = ["sign-in:failed", "session:ended", "role:changed"];
    await server.database.securityLog.insertMany(
      Array.from({ length: 9 }, (_, index) => ({
        type: types[index % 3] ?? "",
        actor: index < 6 ? "Root" : "Ann",
        user: `User-${index}`,
        details: {},
        // The first three have the same time.
        at: new Date(noon - Math.max(0, index - 2) * 60_000),
      })),
    );
    const usersOf = async (query: string) => (await read(query)).entries.map(({ user }) => user);
    const named = (...indexes: number[]) => indexes.map((index) => `User-${index}`);
    expect(await usersOf("?type=session:ended")).toEqual(named(1, 4, 7));
    expect(await usersOf("?type=sign-ins")).toEqual(named(1, 0, 3, 4, 6, 7));
    expect(await usersOf("?actor=ANN&type=sign-ins")).toEqual(named(6, 7));
    expect(await usersOf("?user=user-5")).toEqual(named(5));
    const period = "from=2026-03-01T11:57:00Z&to=2026-03-01T12:00:00Z";
    expect(await usersOf(`?${period}`)).toEqual(named(3, 4, 5));
    const seen: (string | null)[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page = await read(`?limit=2&type=sign-ins${cursor && `&cursor=${cursor}`}`);
      expect(page.entries.length).toBeLessThanOrEqual(2);
      seen.push(...page.entries.map(({ user }) => user));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(named(1, 0, 3, 4, 6, 7));
  });

  it("is append-only, and forgets after a year", async () => {
    const { securityLog } = server.database;
    const filter = { type: "two-factor:on" };
    const set = { $set: { actor: "Ann" } };
    const attempts = {
      updateOne: () => securityLog.updateOne(filter, set),
      updateMany: () => securityLog.updateMany(filter, set),
      findOneAndUpdate: () => securityLog.findOneAndUpdate(filter, set),
      replaceOne: () => securityLog.replaceOne(filter, { type: "x" }),
      findOneAndReplace: () => securityLog.findOneAndReplace(filter, { type: "x" }),
      deleteOne: () => securityLog.deleteOne(filter),
      deleteMany: () => securityLog.deleteMany(filter),
      findOneAndDelete: () => securityLog.findOneAndDelete(filter),
      bulkWrite: () => securityLog.bulkWrite([{ deleteOne: { filter } }]),
    };
    for (const [name, attempt] of Object.entries(attempts)) {
      await expect(attempt(), name).rejects.toThrow("append-only");
    }
    const indexes = await securityLog.collection.indexes();
    expect(indexes.map((index) => index.expireAfterSeconds)).toContain(365 * 86_400);
  });

  it.each([
    "?limit=0",
    "?limit=x",
    "?cursor=x",
    "?cursor=1_2",
    "?limit=5&limit=6",
    "?type=none",
    "?user=",
    "?from=yesterday",
  ])("refuses %s", async (query) => {
    const answer = await api.call(`/admin/security-log${query}`, { user: root });
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid-input" } });
  });

  it("is for administrators only", async () => {
    expect(await api.call("/admin/security-log")).toMatchObject({ status: 401 });
    expect(await api.call("/admin/security-log", { user: ann })).toMatchObject({ status: 403 });
  });
});
