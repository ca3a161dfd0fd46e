import { randomUUID } from "node:crypto";
import { HOUR_MS } from "@shared/contract/constants.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { createUser, newSession, signTokenFor, TEST_PASSWORD } from "@shared/testing/factories.ts";
import { type FakeSmtp, startFakeSmtp } from "@shared/testing/fakes/fake-smtp.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

const FOUR_HOURS_MS = 4 * HOUR_MS;

/** Three servers on one database. The clocks of two are wrong. */
describe("wrong own passwords", () => {
  let smtp: FakeSmtp;
  let servers: TestServer[];
  let user: UserRecord;
  let turn = 0;
  beforeAll(async () => {
    smtp = await startFakeSmtp();
    const databaseUri = testDatabaseUri();
    const environment = { SMTP_URL: smtp.url };
    servers = [];
    for (const shiftMs of [0, FOUR_HOURS_MS, -FOUR_HOURS_MS]) {
      const now = () => new Date(Date.now() + shiftMs);
      servers.push(await startTestServer({ databaseUri, environment, overrides: { now } }));
    }
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await smtp.close();
  });
  beforeEach(async () => {
    // Signed in long enough ago that the payment details need the password, by any of the clocks.
    const createdAt = new Date(Date.now() - 5 * HOUR_MS);
    user = await createUser(server().database, {
      role: "admin",
      sessions: [newSession({ createdAt })],
    });
  });

  const server = (): TestServer => {
    turn += 1;
    const one = servers[turn % servers.length];
    if (!one) throw new Error("There is no server.");
    return one;
  };
  const call = (path: string, json: object, method = "POST") =>
    server().call(path, { json, method, token: signTokenFor(user, server().deps.settings) });

  /** Every call that asks for the password. */
  const calls: Record<string, (password: string) => Promise<Response>> = {
    "changing it": (password) =>
      call("/change-password", { current_password: password, new_password: "another password" }),
    "deleting the account": (password) =>
      call("/me", { username: user.username, password }, "DELETE"),
    "the second factor": (password) => call("/me/two-factor", { password }),
    roles: (password) => call(`/admin/set-role/${user.username}`, { role: "admin", password }),
    "payment details": (password) =>
      call("/admin/update-payment-details", { usdt_trc20: "", password }),
  };
  const all = Object.values(calls);
  const guess = (index: number) =>
    (all[index % all.length] ?? all[0])?.(`guess ${index}`) ?? Promise.reject(new Error("none"));
  const statusesOf = (answers: readonly Response[]) => {
    const counts: Record<number, number> = {};
    for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  };
  const guessAll = async (times: number) =>
    statusesOf(await Promise.all(Array.from({ length: times }, (_, index) => guess(index))));
  /** Wrong passwords as calls leave them, one after the other. */
  const haveGuessed = (times: number, at = new Date()) => {
    const wrongPasswords = Array.from({ length: times }, () => ({ id: randomUUID(), at }));
    return server().database.users.updateOne({ _id: user._id }, { $set: { wrongPasswords } });
  };
  const mails = async () => {
    await Promise.all(servers.map(({ deps }) => deps.background.settled()));
    return smtp.mailsTo(user.email).map(({ text }) => text);
  };

  it("are checked twenty times an hour, over all calls and servers, however many come at once", async () => {
    expect(await guessAll(25)).toEqual({ 403: 20, 429: 5 });
    for (const [, ask] of Object.entries(calls)) {
      const refused = await ask(TEST_PASSWORD);
      expect(refused.status).toBe(429);
      expect(await refused.json()).toMatchObject({ code: "rate-limited" });
      const seconds = Number(refused.headers.get("Retry-After"));
      expect(seconds).toBeGreaterThan(3_400);
      expect(seconds).toBeLessThanOrEqual(3_600);
    }
  });

  it("do not stop the right one before that, also when it comes at the same time", async () => {
    await haveGuessed(19);
    const right = Array.from({ length: 5 }, () => calls["payment details"]?.(TEST_PASSWORD));
    for (const answer of await Promise.all(right)) expect(answer?.status).toBe(200);
    expect((await guess(0)).status).toBe(403);
    expect((await calls["payment details"]?.(TEST_PASSWORD))?.status).toBe(429);
  });

  it("of one account do not count for another", async () => {
    await haveGuessed(20);
    expect((await guess(0)).status).toBe(429);
    user = await createUser(server().database, { role: "admin" });
    expect((await calls["changing it"]?.(TEST_PASSWORD))?.status).toBe(200);
  });

  it("are forgotten an hour later, by the clock of the database", async () => {
    await haveGuessed(20, new Date(Date.now() - HOUR_MS));
    expect((await calls["payment details"]?.(TEST_PASSWORD))?.status).toBe(200);
    expect(await guessAll(5)).toEqual({ 403: 5 });
    const { wrongPasswords } = (await server().database.users.findById(user._id).lean()) ?? {};
    expect(wrongPasswords).toHaveLength(5);
  });

  it("are reported to the owner once, after ten", async () => {
    await haveGuessed(7);
    await guessAll(2);
    expect(await mails()).toEqual([]);
    await guessAll(5);
    expect(await mails()).toEqual([expect.stringContaining("ten wrong passwords")]);
  });

  it("of a stolen session do not keep the owner from changing it after a reset", async () => {
    await haveGuessed(20);
    const [one] = servers;
    const post = async (path: string, json: object, token = "") => {
      const answer = await one?.call(path, { json, token });
      expect(answer?.status).toBe(200);
      return answer?.json();
    };
    await post("/forgot-password", { email: user.email });
    await one?.deps.background.settled();
    const token = smtp.mailsTo(user.email).at(-1)?.token;
    const password = "a reset password";
    await post("/reset-password", { token, new_password: password });
    const session = await post("/login", { username: user.username, password });
    const change = { current_password: password, new_password: "another password" };
    await post("/change-password", change, session.token);
  });
});
