import type { UserRecord } from "@shared/database/models/user.ts";
import { createUser, newSession, signTokenFor, TEST_PASSWORD } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { Secret, TOTP } from "otpauth";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

const STEP_MS = 30_000;

describe("the second factor", () => {
  let server: TestServer;
  let clock: number;
  let user: UserRecord;
  beforeAll(async () => {
    server = await startTestServer({
      databaseUri: testDatabaseUri(),
      overrides: { now: () => new Date(clock) },
    });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    clock = Date.now();
    user = await createUser(server.database);
  });

  const call = async (path: string, options: { method?: string; json?: unknown } = {}) => {
    const { method = "POST", json = {} } = options;
    const token = signTokenFor(user, server.deps.settings);
    const answer = await server.call(path, { method, json, token });
    return { status: answer.status, body: answer.status === 204 ? null : await answer.json() };
  };
  const codeAt = (secret: string, timestamp = clock) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });
  const confirm = (code: string) => call("/me/two-factor/confirm", { json: { code } });
  const disable = (code: string, password = TEST_PASSWORD) =>
    call("/me/two-factor", { method: "DELETE", json: { password, code } });
  const logIn = async (code?: string, password = TEST_PASSWORD) => {
    const json = { username: user.username, password, ...(code !== undefined && { code }) };
    const answer = await server.call("/login", { json });
    return [answer.status, (await answer.json()).code];
  };
  const start = async (): Promise<string> => (await call("/me/two-factor")).body.secret;
  /** Turns it on with a code of the time step before. */
  const turnOn = async () => {
    const secret = await start();
    const { body } = await confirm(codeAt(secret, clock - STEP_MS));
    return { secret, recoveryCodes: body.recovery_codes };
  };

  it("is turned on with a code of the secret that was shown, as text and as QR code", async () => {
    const { status, body } = await call("/me/two-factor");
    expect(status).toBe(200);
    expect(body.otpauth_url).toContain(`secret=${body.secret}`);
    expect(body.otpauth_url).toMatch(/^otpauth:\/\/totp\/AI%20Trading%20Signals:/);
    expect(body.qr_svg).toMatch(/^<svg/);
    const confirmed = await confirm(codeAt(body.secret));
    expect(confirmed.status).toBe(200);
    expect(new Set(confirmed.body.recovery_codes).size).toBe(10);
    const me = await server.call("/me", { token: signTokenFor(user, server.deps.settings) });
    expect(await me.json()).toMatchObject({
      two_factor: { enabled: true, recovery_codes_left: 10 },
    });
    expect(await call("/me/two-factor")).toMatchObject({
      status: 409,
      body: { code: "two-factor-enabled" },
    });
  });

  it("is not turned on by a wrong code, or before a secret was shown", async () => {
    expect(await confirm("123456")).toMatchObject({ status: 422, body: { code: "invalid-code" } });
    const secret = await start();
    for (const wrong of [codeAt(secret, clock + 10 * STEP_MS), "12345é"]) {
      expect(await confirm(wrong)).toMatchObject({ status: 422, body: { code: "invalid-code" } });
    }
    expect(await logIn()).toEqual([200, undefined]);
  });

  it("stores neither the secret nor the recovery codes as they are", async () => {
    const { secret, recoveryCodes } = await turnOn();
    const stored = JSON.stringify(await server.database.users.findById(user._id).lean());
    for (const text of [secret, ...recoveryCodes]) expect(stored).not.toContain(text);
  });

  it("is asked for at sign-in only after the right password", async () => {
    const { secret } = await turnOn();
    expect(await logIn()).toEqual([401, "two-factor-required"]);
    expect(await logIn(undefined, "wrong")).toEqual([401, "invalid-credentials"]);
    expect(await logIn(codeAt(secret), "wrong")).toEqual([401, "invalid-credentials"]);
    expect(await logIn("000000")).toEqual([401, "invalid-credentials"]);
    expect(await logIn(codeAt(secret))).toEqual([200, undefined]);
  });

  it("accepts the codes of this time step and its neighbours, each once", async () => {
    const { secret } = await turnOn();
    // The code before was used to turn it on.
    expect(await logIn(codeAt(secret, clock - STEP_MS))).toEqual([401, "invalid-credentials"]);
    expect(await logIn(codeAt(secret, clock + STEP_MS))).toEqual([200, undefined]);
    expect(await logIn(codeAt(secret))).toEqual([200, undefined]);
    expect(await logIn(codeAt(secret))).toEqual([401, "invalid-credentials"]);
    clock += 3 * STEP_MS;
    expect(await logIn(codeAt(secret, clock - 2 * STEP_MS))).toEqual([401, "invalid-credentials"]);
  });

  it("lets one of several sign-ins with one code succeed", async () => {
    const { secret } = await turnOn();
    const code = codeAt(secret);
    const results = await Promise.all([logIn(code), logIn(code), logIn(code)]);
    expect(results.map(([status]) => status).sort()).toEqual([200, 401, 401]);
  });

  it("accepts each recovery code once, in any notation", async () => {
    const { recoveryCodes } = await turnOn();
    const [first = ""] = recoveryCodes;
    expect(await logIn(first.toUpperCase().replaceAll("-", " "))).toEqual([200, undefined]);
    expect(await logIn(first)).toEqual([401, "invalid-credentials"]);
    const me = await server.call("/me", { token: signTokenFor(user, server.deps.settings) });
    expect(await me.json()).toMatchObject({ two_factor: { recovery_codes_left: 9 } });
  });

  it("accepts a code with blanks, in groups, and in full-width digits", async () => {
    const secret = await start();
    const before = codeAt(secret, clock - STEP_MS);
    const confirmed = await confirm(`${before.slice(0, 3)} ${before.slice(3)} `);
    expect(confirmed.status).toBe(200);
    const now = codeAt(secret);
    expect(await logIn(`\u00a0${now.slice(0, 3)}-${now.slice(3)}`)).toEqual([200, undefined]);
    const next = codeAt(secret, clock + STEP_MS);
    const fullWidth = next.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
    expect(await logIn(fullWidth)).toEqual([200, undefined]);
    const [first = ""] = confirmed.body.recovery_codes;
    expect(await logIn(` ${[...first].join(" ")}`)).toEqual([200, undefined]);
  });

  it("is asked for before the account is deleted", async () => {
    const { secret } = await turnOn();
    const deleteAccount = (code?: string) => {
      const json = { username: user.username, password: TEST_PASSWORD, code };
      return call("/me", { method: "DELETE", json });
    };
    expect(await deleteAccount()).toMatchObject({
      status: 403,
      body: { code: "reauthentication-required" },
    });
    expect(await deleteAccount("000000")).toMatchObject({
      status: 403,
      body: { code: "wrong-password" },
    });
    expect((await deleteAccount(codeAt(secret))).status).toBe(204);
  });

  it("stops guessing after 10 wrong codes, also for the right one", async () => {
    const { secret } = await turnOn();
    for (let wrong = 0; wrong < 10; wrong++) {
      expect((await disable("000000")).status).toBe(403);
    }
    expect((await disable(codeAt(secret))).status).toBe(429);
    expect(await logIn(codeAt(secret))).toEqual([429, "rate-limited"]);
  });

  it("is turned off with the password and a code", async () => {
    const { secret } = await turnOn();
    expect(await disable(codeAt(secret), "wrong")).toMatchObject({
      status: 403,
      body: { code: "wrong-password" },
    });
    expect(await disable("000000")).toMatchObject({
      status: 403,
      body: { code: "wrong-password" },
    });
    expect((await disable(codeAt(secret))).status).toBe(204);
    expect(await logIn()).toEqual([200, undefined]);
    expect((await disable(codeAt(secret))).status).toBe(404);
  });

  describe("of an administrator in production", () => {
    let production: TestServer;
    let admin: UserRecord;
    beforeAll(async () => {
      production = await startTestServer({
        databaseUri: testDatabaseUri(),
        environment: {
          NODE_ENV: "production",
          EMBEDDED_DATABASE: "on",
          SMTP_URL: "smtp://localhost:9",
        },
      });
    });
    afterAll(() => production.stop());
    beforeEach(async () => {
      admin = await createUser(production.database, { role: "admin", approved: true });
    });
    const callAs = (path: string, options: { method?: string; json?: unknown } = {}) =>
      production.call(path, {
        ...options,
        token: signTokenFor(admin, production.deps.settings),
      });

    it("must be turned on before anything else", async () => {
      for (const path of ["/admin/list-users", "/signal-history"]) {
        const answer = await callAs(path);
        expect([answer.status, (await answer.json()).code]).toEqual([
          403,
          "two-factor-enrolment-required",
        ]);
      }
      expect((await callAs("/me")).status).toBe(200);
      expect((await callAs("/me/sessions")).status).toBe(200);
      const { secret } = await (await callAs("/me/two-factor", { json: {} })).json();
      const json = { code: codeAt(secret, Date.now()) };
      expect((await callAs("/me/two-factor/confirm", { json })).status).toBe(200);
      expect((await callAs("/admin/list-users")).status).toBe(200);
    });

    it("does not keep them from signing out", async () => {
      expect((await callAs("/logout", { method: "POST" })).status).toBe(204);
    });
  });
});

describe("a change that a stolen session must not make", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ databaseUri: testDatabaseUri() });
  });
  afterAll(() => server.stop());

  const HOUR_AGO = new Date(Date.now() - 3_600_000);
  const createAdmin = (startedAt: Date) =>
    createUser(server.database, {
      role: "admin",
      approved: true,
      sessions: [newSession({ createdAt: startedAt })],
    });
  const post = async (admin: UserRecord, path: string, json: unknown) => {
    const token = signTokenFor(admin, server.deps.settings);
    const answer = await server.call(path, { json, token });
    return [answer.status, (await answer.json()).code];
  };
  const changeDetails = (admin: UserRecord, credentials: object) =>
    post(admin, "/admin/update-payment-details", { usdt_trc20: "T123", ...credentials });

  it("needs the password 10 minutes after the sign-in and later: payment details", async () => {
    const admin = await createAdmin(HOUR_AGO);
    expect(await changeDetails(admin, {})).toEqual([403, "reauthentication-required"]);
    expect(await changeDetails(admin, { password: "wrong" })).toEqual([403, "wrong-password"]);
    expect(await changeDetails(admin, { password: TEST_PASSWORD })).toEqual([200, undefined]);
    expect(await changeDetails(await createAdmin(new Date()), {})).toEqual([200, undefined]);
  });

  it("needs the password 10 minutes after the sign-in and later: a second factor", async () => {
    const admin = await createAdmin(HOUR_AGO);
    const turnOn = (credentials: object) => post(admin, "/me/two-factor", credentials);
    expect(await turnOn({})).toEqual([403, "reauthentication-required"]);
    expect(await turnOn({ password: "wrong" })).toEqual([403, "wrong-password"]);
    expect(await turnOn({ password: TEST_PASSWORD })).toEqual([200, undefined]);
    expect(await post(await createAdmin(new Date()), "/me/two-factor", {})).toEqual([
      200,
      undefined,
    ]);
  });

  it("always needs the password: a role", async () => {
    const admin = await createAdmin(new Date());
    const { username, _id, sessions } = await createUser(server.database);
    const setRole = (credentials: object) =>
      post(admin, `/admin/set-role/${username}`, { role: "admin", ...credentials });
    expect(await setRole({})).toEqual([403, "reauthentication-required"]);
    expect(await setRole({ password: "wrong" })).toEqual([403, "wrong-password"]);
    expect(await setRole({ password: TEST_PASSWORD })).toEqual([200, undefined]);
    const changed = await server.database.users.findById(_id).lean();
    expect(sessions).toHaveLength(1);
    expect(changed).toMatchObject({ role: "admin", sessions: [] });
  });

  it("never removes the last administrator, even if two demote each other at once", async () => {
    await server.database.users.deleteMany({ role: "admin" });
    const admins = [await createAdmin(new Date()), await createAdmin(new Date())] as const;
    const [one, other] = admins;
    const demote = (by: UserRecord, whom: UserRecord) =>
      post(by, `/admin/set-role/${whom.username}`, { role: "user", password: TEST_PASSWORD });
    await Promise.all([demote(one, other), demote(other, one)]);
    const left = await server.database.users.find({ role: "admin" }).lean();
    expect(left).toHaveLength(1);
    const last = left[0] ?? one;
    expect(await demote({ ...last, sessions: [newSession()] }, last)).toEqual([
      401,
      "unauthenticated",
    ]);
    const session = newSession();
    await server.database.users.updateOne({ _id: last._id }, { sessions: [session] });
    expect(await demote({ ...last, sessions: [session] }, last)).toEqual([409, "last-admin"]);
  });
});
