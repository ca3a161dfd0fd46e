import { resetLinkSentMessage } from "@shared/contract/constants.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { createUser, newSession, signTokenFor, TEST_PASSWORD } from "@shared/testing/factories.ts";
import { type FakeSmtp, startFakeSmtp } from "@shared/testing/fakes/fake-smtp.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";
import { argon2id } from "./identity/builtin-identity.ts";

const NEW_PASSWORD = "a new password";

describe("passwords", () => {
  let smtp: FakeSmtp;
  let server: TestServer;
  beforeAll(async () => {
    smtp = await startFakeSmtp();
    server = await startTestServer({
      databaseUri: testDatabaseUri(),
      environment: { SMTP_URL: smtp.url, RATE_LIMIT: "off" },
    });
  });
  beforeEach(() => smtp.behave("accept"));
  afterAll(async () => {
    await server.stop();
    await smtp.close();
  });

  const post = async (path: string, json: unknown, token?: string) => {
    const answer = await server.call(path, { json, token });
    return { status: answer.status, body: await answer.json() };
  };
  const tokenOf = (user: UserRecord) => signTokenFor(user, server.deps.settings);
  const tokensOf = (user: UserRecord) =>
    user.sessions.map(({ id }) => signTokenFor(user, server.deps.settings, { sessionId: id }));
  const createUserWithTwoSessions = () =>
    createUser(server.database, { sessions: [newSession(), newSession()] });
  const loginStatus = async (user: UserRecord, password: string) =>
    (await post("/login", { username: user.username, password })).status;
  const meStatus = async (token: string) => (await server.call("/me", { token })).status;
  const change = (token: string | undefined, current: string, next = NEW_PASSWORD) =>
    post("/change-password", { current_password: current, new_password: next }, token);
  const resetTokenOf = async (user: UserRecord) => {
    await post("/forgot-password", { email: user.email });
    await server.deps.background.settled();
    return smtp.mailsTo(user.email).at(-1)?.token;
  };

  describe("POST /change-password", () => {
    it("changes the password and ends every other session", async () => {
      const user = await createUserWithTwoSessions();
      const [here = "", elsewhere = ""] = tokensOf(user);
      expect(await change(here, TEST_PASSWORD)).toMatchObject({
        status: 200,
        body: { detail: "Your password has been changed." },
      });
      expect(await loginStatus(user, NEW_PASSWORD)).toBe(200);
      expect(await loginStatus(user, TEST_PASSWORD)).toBe(401);
      expect([await meStatus(here), await meStatus(elsewhere)]).toEqual([200, 401]);
    });

    it("may be repeated from the session that was kept, and then from another", async () => {
      const user = await createUser(server.database);
      const first = tokenOf(user);
      await change(first, TEST_PASSWORD, "password-2");
      const login = await post("/login", { username: user.username, password: "password-2" });
      expect((await change(first, "password-2", "password-3")).status).toBe(200);
      expect([await meStatus(first), await meStatus(login.body.token)]).toEqual([200, 401]);
      const second = await post("/login", { username: user.username, password: "password-3" });
      expect((await change(second.body.token, "password-3", "password-4")).status).toBe(200);
      expect([await meStatus(first), await meStatus(second.body.token)]).toEqual([401, 200]);
    });

    it("accepts one password from keyboards that compose its characters, and from others", async () => {
      const user = await createUser(server.database);
      const [composed, decomposed] = [
        "Zürich-№1-é".normalize("NFC"),
        "Zürich-№1-é".normalize("NFD"),
      ];
      await change(tokenOf(user), TEST_PASSWORD, decomposed);
      expect(await loginStatus(user, composed)).toBe(200);
      expect(await loginStatus(user, decomposed)).toBe(200);
    });

    it("accepts a password that an earlier version stored as it was typed", async () => {
      const user = await createUser(server.database);
      const typed = "Zu\u0308rich-1";
      const passwordHash = await argon2id.hash(typed);
      await server.database.identities.updateOne({ _id: user.identityId }, { passwordHash });
      expect(await loginStatus(user, typed)).toBe(200);
      expect(await loginStatus(user, "Zürich-2")).toBe(401);
    });

    it("refuses a wrong current password, and changes nothing", async () => {
      const user = await createUserWithTwoSessions();
      const [here = "", elsewhere = ""] = tokensOf(user);
      expect(await change(here, "wrong")).toEqual({
        status: 403,
        body: {
          code: "wrong-password",
          detail: "Failed to change password. Please check your current password.",
          request_id: expect.any(String),
        },
      });
      expect(await loginStatus(user, TEST_PASSWORD)).toBe(200);
      expect(await meStatus(elsewhere)).toBe(200);
    });

    it("lets one of two changes succeed that know the same password", async () => {
      const user = await createUserWithTwoSessions();
      const tokens = tokensOf(user);
      const answers = await Promise.all(
        tokens.map((token, index) => change(token, TEST_PASSWORD, `password-${index}`)),
      );
      const winner = answers.findIndex(({ status }) => status === 200);
      // The other one finds the password changed, or already its session ended.
      expect([401, 403]).toContain(answers[1 - winner]?.status);
      expect(await loginStatus(user, `password-${winner}`)).toBe(200);
      expect(await meStatus(tokens[winner] ?? "")).toBe(200);
      expect(await meStatus(tokens[1 - winner] ?? "")).toBe(401);
    });

    it.each([
      [
        "new_password",
        { new_password: "short" },
        "New password must be at least 6 characters long.",
      ],
      ["new_password", { new_password: undefined }, "new_password is missing."],
      ["new_password", { new_password: { $ne: "" } }, "new_password is not valid."],
      ["current_password", { current_password: "" }, "Enter your current password."],
      ["current_password", { current_password: { $ne: "" } }, "current_password is not valid."],
    ])("refuses input with a wrong %s: %j", async (field, wrong, detail) => {
      const user = await createUser(server.database);
      const request = { current_password: TEST_PASSWORD, new_password: NEW_PASSWORD, ...wrong };
      const { status, body } = await post("/change-password", request, tokenOf(user));
      expect(status).toBe(422);
      expect(body).toMatchObject({ code: "invalid-input", detail, errors: [{ field }] });
      expect(await loginStatus(user, TEST_PASSWORD)).toBe(200);
    });

    it.each([
      ["user", "password1", "This password is too common. Choose another one."],
      ["admin", "eleven char", "Administrators need a password of at least 12 characters."],
    ] as const)("refuses a %s's new password that is easy to guess", async (role, next, detail) => {
      const user = await createUser(server.database, { role });
      expect(await change(tokenOf(user), TEST_PASSWORD, next)).toMatchObject({
        status: 422,
        body: { code: "invalid-input", detail, errors: [{ field: "new_password" }] },
      });
      expect(await loginStatus(user, TEST_PASSWORD)).toBe(200);
    });

    it("needs a session", async () => {
      expect(await change(undefined, TEST_PASSWORD)).toMatchObject({
        status: 401,
        body: { code: "unauthenticated" },
      });
    });
  });

  describe("POST /reset-password", () => {
    it("sets the password and ends every session", async () => {
      const user = await createUser(server.database);
      const kept = tokenOf(user);
      await change(kept, TEST_PASSWORD, "password-2");
      const sessions = [
        kept,
        (await post("/login", { ...user, password: "password-2" })).body.token,
      ];
      const token = await resetTokenOf(user);
      expect(await post("/reset-password", { token, new_password: NEW_PASSWORD })).toMatchObject({
        status: 200,
        body: { detail: expect.any(String) },
      });
      expect(await loginStatus(user, NEW_PASSWORD)).toBe(200);
      expect(await loginStatus(user, "password-2")).toBe(401);
      expect(await Promise.all(sessions.map(meStatus))).toEqual([401, 401]);
    });

    it("refuses an administrator's password of 11 characters, and the link still works", async () => {
      const admin = await createUser(server.database, { role: "admin" });
      const token = await resetTokenOf(admin);
      const reset = (password: string) =>
        post("/reset-password", { token, new_password: password });
      expect(await reset("eleven char")).toMatchObject({
        status: 422,
        body: { code: "invalid-input", errors: [{ field: "new_password" }] },
      });
      expect((await reset("twelve chars")).status).toBe(200);
    });

    it("gives an account to the owner of the address that someone else registered with", async () => {
      const taken = { username: "mallory", email: "victim@example.com", password: "mallorys-own" };
      const { body } = await post("/register", taken);
      const owner = await server.database.users.findOne({ usernameKey: "mallory" }).lean();
      if (!owner) throw new Error("there is no account");
      const token = await resetTokenOf(owner);
      await post("/reset-password", { token, new_password: NEW_PASSWORD });
      expect(await meStatus(body.token)).toBe(401);
      expect(await loginStatus(owner, taken.password)).toBe(401);
      const login = await post("/login", { username: taken.email, password: NEW_PASSWORD });
      const me = await server.call("/me", { token: login.body.token });
      expect(await me.json()).toMatchObject({ email_verified: true });
    });
  });

  describe("POST /forgot-password", () => {
    const forgot = async (email: string) => {
      const answer = await server.call("/forgot-password", { json: { email } });
      const { "x-request-id": _, date: __, ...headers } = Object.fromEntries(answer.headers);
      const { detail } = await answer.json();
      return { status: answer.status, headers, detail };
    };

    it("answers a known and an unknown address alike, and mails the known one only", async () => {
      const user = await createUser(server.database, { email: "ann.known@example.com" });
      const known = await forgot(user.email);
      const unknown = await forgot("ann.unknown@example.com");
      expect(known).toMatchObject({ status: 200, detail: resetLinkSentMessage(user.email) });
      expect(known.detail).toBe(
        "If an account with ann.known@example.com exists, a password reset link has been sent. " +
          "Please check your inbox and spam folder.",
      );
      expect(unknown).toMatchObject({ status: 200 });
      expect(unknown.detail).toBe(known.detail.replace(user.email, "ann.unknown@example.com"));
      expect(Object.keys(unknown.headers)).toEqual(Object.keys(known.headers));
      await server.deps.background.settled();
      expect(smtp.mailsTo(user.email)).toHaveLength(1);
      expect(smtp.mailsTo("ann.unknown@example.com")).toEqual([]);
      expect(await server.database.mailTokens.countDocuments({ kind: "reset" })).toBe(1);
    });

    it("finds an address in whatever case, and mails the one that was registered", async () => {
      const user = await createUser(server.database, { email: "Bea@Example.com" });
      await forgot("bea@EXAMPLE.com");
      await server.deps.background.settled();
      const mail = smtp.mailsTo(user.email).at(-1);
      expect(mail?.headers.get("to")).toBe("Bea@example.com");
      expect(mail?.text).toMatch(`Hello ${user.username},`);
    });

    it.each(["refuse-mail", "stall-greeting"] as const)(
      "answers at once and alike when the mail server behaves as %s",
      async (behaviour) => {
        const user = await createUser(server.database);
        smtp.behave(behaviour);
        const logged = server.logLines.length;
        const order: string[] = [];
        const known = await forgot(user.email);
        const settled = server.deps.background.settled().then(() => order.push("mail given up"));
        expect(known.status).toBe(200);
        expect((await forgot(`unknown-${behaviour}@example.com`)).status).toBe(200);
        order.push("answered");
        await settled;
        if (behaviour === "stall-greeting") expect(order).toEqual(["answered", "mail given up"]);
        expect(server.logLines.slice(logged).join()).toContain("sending a password reset failed");
      },
    );

    it.each(["", "no-address", { $ne: "" }, undefined, null, ["a@b.com"]])(
      "refuses %j as an address",
      async (email) => {
        const { status, body } = await post("/forgot-password", { email });
        expect(status).toBe(422);
        expect(body).toMatchObject({ code: "invalid-input", errors: [{ field: "email" }] });
      },
    );
  });

  describe("POST /resend-verification", () => {
    it("sends a link to the caller's address", async () => {
      const user = await createUser(server.database);
      expect(await post("/resend-verification", {}, tokenOf(user))).toMatchObject({
        status: 200,
        body: { detail: `A new verification link has been sent to ${user.email}.` },
      });
      expect(smtp.mailsTo(user.email)).toHaveLength(1);
    });

    it("sends nothing where the address is confirmed", async () => {
      const user = await createUser(server.database, { emailVerified: true });
      expect(await post("/resend-verification", {}, tokenOf(user))).toMatchObject({
        status: 200,
        body: { detail: "Your email address is already verified." },
      });
      expect(smtp.mailsTo(user.email)).toEqual([]);
    });

    it("says so when the mail cannot be sent", async () => {
      const user = await createUser(server.database);
      smtp.behave("refuse-recipient");
      expect(await post("/resend-verification", {}, tokenOf(user))).toMatchObject({
        status: 503,
        body: { code: "unavailable" },
      });
    });

    it("needs a session", async () => {
      expect((await post("/resend-verification", {})).status).toBe(401);
    });
  });
});
