import { hash } from "@node-rs/argon2";
import { DAY_MS } from "@shared/contract/constants.ts";
import type { KnownNetwork, UserRecord } from "@shared/database/models/user.ts";
import { createUser, signTokenFor, TEST_PASSWORD } from "@shared/testing/factories.ts";
import { type FakeSmtp, startFakeSmtp } from "@shared/testing/fakes/fake-smtp.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { Secret, TOTP } from "otpauth";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";
import { hashInTurns } from "./identity/builtin-identity.ts";

const environment = { TRUSTED_PROXIES: "1" };
const NEW_PASSWORD = "a new password";
/** Ten failures are free, the eleventh starts the delay, and the twelfth has to wait. */
const TOO_MANY = 12;

describe("guesses of a password", () => {
  let server: TestServer;
  let smtp: FakeSmtp;
  let user: UserRecord;
  let addresses = 0;
  beforeAll(async () => {
    smtp = await startFakeSmtp();
    server = await startTestServer({
      databaseUri: testDatabaseUri(),
      environment: { ...environment, SMTP_URL: smtp.url },
    });
  });
  afterEach(() => vi.useRealTimers());
  afterAll(async () => {
    await server.stop();
    await smtp.close();
  });
  beforeEach(async () => {
    // A delay does not end while the test runs, however slow the machine is.
    vi.useFakeTimers({ toFake: ["Date"] });
    user = await createUser(server.database);
  });

  const newAddress = () => {
    addresses += 1;
    return `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`;
  };
  const logIn = (password: string, address: string, username = user.username) =>
    server.call("/login", {
      json: { username, password },
      headers: { "X-Forwarded-For": address },
    });
  /** As eleven wrong guesses leave it: nine are added to the points of the first one. */
  const guessFromElsewhere = async (username?: string) => {
    const { rateLimits } = server.database;
    const failures = { key: /^sign-in-failures:/ };
    await rateLimits.deleteMany(failures);
    await logIn("a wrong guess", newAddress(), username);
    await rateLimits.updateMany(failures, { $inc: { points: 9 } });
    await logIn("a wrong guess", newAddress(), username);
  };

  it("from many addresses are stopped by a growing delay", { timeout: 60_000 }, async () => {
    const statuses = new Map<number, number>();
    const delays: number[] = [];
    for (let batch = 0; batch < 3; batch++) {
      const answers = await Promise.all(
        Array.from({ length: 14 }, () => logIn("a wrong guess", newAddress())),
      );
      for (const { status, headers } of answers) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        const delay = headers.get("Retry-After");
        if (status === 429) delays.push(Number(delay));
      }
    }
    expect(Object.fromEntries(statuses)).toEqual({ 401: 11, 429: 31 });
    expect(Math.max(...delays)).toBeGreaterThan(1);
  });

  it("do not lock the owner out of a network that they have used before", async () => {
    const home = newAddress();
    expect((await logIn(TEST_PASSWORD, home)).status).toBe(200);
    await guessFromElsewhere();
    expect((await logIn(TEST_PASSWORD, newAddress())).status).toBe(429);
    expect((await logIn(TEST_PASSWORD, home)).status).toBe(200);
  });

  const post = async (path: string, token: string, json: object = {}) => {
    const answer = await server.call(path, { json, token });
    expect(answer.ok).toBe(true);
  };
  const WAYS_TO_SIGN_OUT: [string, (token: string) => Promise<void>][] = [
    ["logged out", (token) => post("/logout", token)],
    [
      "ended all sessions",
      async (token) => {
        const me = { headers: { Authorization: `Bearer ${token}` } };
        const { sessions } = await (await server.call("/me/sessions", me)).json();
        for (const { id } of sessions) {
          await server.call(`/me/sessions/${id}`, { method: "DELETE", token });
        }
      },
    ],
    [
      "been signed out by an administrator",
      async () => {
        const admin = await createUser(server.database, { role: "admin" });
        const token = signTokenFor(admin, server.deps.settings);
        const change = { role: "user", password: TEST_PASSWORD };
        await post(`/admin/set-role/${user.username}`, token, change);
      },
    ],
    [
      "reset the password",
      async () => {
        await post("/forgot-password", "", { email: user.email });
        await server.deps.background.settled();
        const { token } = smtp.mailsTo(user.email).at(-1) ?? {};
        await post("/reset-password", "", { token, new_password: NEW_PASSWORD });
      },
    ],
  ];
  it.each(WAYS_TO_SIGN_OUT)(
    "do not keep an owner out who has %s, in a network that is theirs",
    async (_, signOut) => {
      const home = newAddress();
      user = await createUser(server.database, { emailVerified: true });
      const { token } = await (await logIn(TEST_PASSWORD, home)).json();
      await signOut(token);
      expect((await server.call("/me", { token })).status).toBe(401);
      await guessFromElsewhere();
      const signIns = await Promise.all(
        [TEST_PASSWORD, NEW_PASSWORD].map((one) => logIn(one, home)),
      );
      expect(signIns.map(({ status }) => status)).toContain(200);
    },
  );

  it("do not keep an owner out who has only registered, in any network of theirs", async () => {
    const home = "2001:db8:1:2:3::4";
    const [username, password] = [`owner-${addresses}`, "a long password"];
    const registered = await server.call("/register", {
      json: { username, email: `${username}@example.com`, password },
      headers: { "X-Forwarded-For": home },
    });
    await post("/logout", (await registered.json()).token);
    await guessFromElsewhere(username);
    expect((await logIn(password, "2001:db8:1:3::1", username)).status).toBe(429);
    expect((await logIn(password, "2001:db8:1:2:ffff::1", username)).status).toBe(200);
  });

  it("count for 90 days after the last sign-in from a network", async () => {
    const home = newAddress();
    const { token } = await (await logIn(TEST_PASSWORD, home)).json();
    await post("/logout", token);
    const { networks = [] } = (await server.database.users.findById(user._id).lean()) ?? {};
    const agedBy = (days: number) =>
      networks.map((one) => ({ ...one, signedInAt: new Date(+one.signedInAt - days * DAY_MS) }));
    await guessFromElsewhere();
    const set = (aged: object) =>
      server.database.users.updateOne({ _id: user._id }, { $set: { networks: aged } });
    await set(agedBy(90));
    expect((await logIn(TEST_PASSWORD, home)).status).toBe(429);
    await set(agedBy(89));
    expect((await logIn(TEST_PASSWORD, home)).status).toBe(200);
  });

  it("in a network of the owner are limited there, and keep no one out elsewhere", async () => {
    const [home, office] = [newAddress(), newAddress()];
    for (const network of [home, office]) await logIn(TEST_PASSWORD, network);
    const statuses = [];
    for (let guess = 0; guess < TOO_MANY; guess++) {
      statuses.push((await logIn("wrong", office)).status);
    }
    expect(statuses).toContain(429);
    expect((await logIn(TEST_PASSWORD, office)).status).toBe(429);
    expect((await logIn(TEST_PASSWORD, home)).status).toBe(200);
  });

  it("of the code, by who knows the password, do not keep the owner out either", async () => {
    const home = newAddress();
    const { token } = await (await logIn(TEST_PASSWORD, home)).json();
    const { secret } = await (await server.call("/me/two-factor", { json: {}, token })).json();
    const codeIn = (steps: number) =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({
        timestamp: Date.now() + steps * 30_000,
      });
    await post("/me/two-factor/confirm", token, { code: codeIn(0) });
    await post("/logout", token);
    const withCode = (code: string, address: string) =>
      server.call("/login", {
        json: { username: user.username, password: TEST_PASSWORD, code },
        headers: { "X-Forwarded-For": address },
      });
    for (let guess = 0; guess < TOO_MANY; guess++) await withCode("not-a-code", newAddress());
    expect((await withCode(codeIn(1), home)).status).toBe(200);
  });

  it("are kept apart by at most 100 networks, which go with the account and are in its data", async () => {
    expect((await logIn(TEST_PASSWORD, newAddress())).status).toBe(200);
    const signedInAt = new Date();
    const others = Array.from({ length: 99 }, () => ({ network: newAddress(), signedInAt }));
    const change = { $push: { networks: { $each: others } } };
    await server.database.users.updateOne({ _id: user._id }, change);
    const last = await logIn(TEST_PASSWORD, newAddress());
    const { token } = await last.json();
    const data = await (await server.call("/me/data", { token })).json();
    expect(data.sign_in_networks).toHaveLength(100);
    expect(data.sign_in_networks.slice(0, -1).map((one: KnownNetwork) => one.network)).toEqual(
      others.map(({ network }) => network),
    );
    expect(data.sign_in_networks.at(-1)).toEqual({
      network: expect.any(String),
      last_sign_in_at: expect.any(String),
    });
  });

  it("look the same for a name that does not exist", async () => {
    /** Guesses until one has to wait. */
    const statusesOf = async (username: string) => {
      const statuses = [];
      while (statuses.at(-1) !== 429) {
        statuses.push((await logIn("a wrong guess", newAddress(), username)).status);
      }
      return new Set(statuses);
    };
    const both = [await statusesOf("does-not-exist"), await statusesOf(user.username)];
    expect(both).toEqual([new Set([401, 429]), new Set([401, 429])]);
  });

  it("are forgotten after a sign-in", async () => {
    for (let round = 0; round < 2; round++) {
      for (let guess = 0; guess < 9; guess++) await logIn("a wrong guess", newAddress());
      expect((await logIn(TEST_PASSWORD, newAddress())).status).toBe(200);
    }
  });

  it("in a flood are refused in part, while other requests are answered", async () => {
    // Guesses of names that do not exist are compared with a hash, which takes longer here than a guess may wait.
    const slowly = { memoryCost: 19_456, timeCost: 16, parallelism: 1 };
    const hashing = {
      ...hashInTurns(100),
      hash: (password: string | Buffer) => hash(password, slowly),
    };
    const busy = await startTestServer({ databaseUri: testDatabaseUri(), environment, hashing });
    const flood = Array.from({ length: 16 }, (_, index) =>
      busy.call("/login", {
        json: { username: `unknown-${index}`, password: "a guess" },
        headers: { "X-Forwarded-For": newAddress() },
      }),
    );
    const health = await busy.call("/healthz");
    expect(health.status).toBe(200);
    const statuses = (await Promise.all(flood)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([401, 503]));
    await busy.stop();
  });
});
