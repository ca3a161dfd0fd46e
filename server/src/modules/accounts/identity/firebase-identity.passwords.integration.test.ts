import { resetLinkSentMessage } from "@shared/contract/constants.ts";
import { createUser, signTokenFor, TEST_PASSWORD } from "@shared/testing/factories.ts";
import {
  type FakeFirebase,
  type FakeFirebaseMail,
  startFakeFirebase,
} from "@shared/testing/fakes/fake-firebase.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../../testing/start-test-server.ts";

const NEW_PASSWORD = "a new password";
const INVALID = { status: 422, body: { code: "invalid-token" } };
const UNAVAILABLE = { status: 503, body: { code: "unavailable" } };
const FAILURES = [{ kind: "down" }, { kind: "html" }, { kind: "status", status: 500 }] as const;

describe("accounts at Firebase", () => {
  let firebase: FakeFirebase;
  let server: TestServer;
  beforeAll(async () => {
    firebase = await startFakeFirebase();
    server = await startTestServer({
      databaseUri: testDatabaseUri(),
      environment: {
        IDENTITY_PROVIDER: "firebase",
        FIREBASE_API_KEY: firebase.apiKey,
        FIREBASE_AUTH_URL: firebase.url,
        RATE_LIMIT: "off",
      },
    });
  });
  beforeEach(() => firebase.reset());
  afterAll(async () => {
    await server.stop();
    await firebase.close();
  });

  const post = async (path: string, json: unknown, token?: string) => {
    const answer = await server.call(path, { json, token });
    return { status: answer.status, body: await answer.json() };
  };
  let lastPerson = 0;
  const register = async () => {
    const username = `person-${++lastPerson}`;
    const email = `${username}@example.com`;
    const { body } = await post("/register", { username, email, password: TEST_PASSWORD });
    return { username, email, token: String(body.token) };
  };
  type Person = Awaited<ReturnType<typeof register>>;
  const logIn = async ({ username }: Person, password: string) => {
    const { status, body } = await post("/login", { username, password });
    return { status, token: String(body.token) };
  };
  const meStatuses = (...tokens: string[]) =>
    Promise.all(tokens.map(async (token) => (await server.call("/me", { token })).status));
  const isVerified = async ({ token }: Person) =>
    (await (await server.call("/me", { token })).json()).email_verified;
  const codeFor = ({ email }: Person, requestType: FakeFirebaseMail["requestType"]) =>
    firebase.mails.findLast((mail) => mail.email === email && mail.requestType === requestType)
      ?.oobCode;
  const askReset = async (person: Person) => {
    await post("/forgot-password", { email: person.email });
    await server.deps.background.settled();
    return codeFor(person, "PASSWORD_RESET");
  };

  describe("verification", () => {
    it("confirms an address by the code of Firebase's mail, once", async () => {
      const person = await register();
      const token = codeFor(person, "VERIFY_EMAIL");
      expect(await isVerified(person)).toBe(false);
      expect((await post("/verify-email", { token })).status).toBe(200);
      expect(await isVerified(person)).toBe(true);
      expect(await post("/verify-email", { token })).toMatchObject(INVALID);
    });

    it("knows no code that is made up, has expired or is for something else", async () => {
      const person = await register();
      const expired = codeFor(person, "VERIFY_EMAIL") ?? "";
      firebase.expire(expired);
      for (const token of ["made up", expired, await askReset(person)]) {
        expect(await post("/verify-email", { token })).toMatchObject(INVALID);
      }
      expect(await isVerified(person)).toBe(false);
    });

    it("is asked for again, for a user who has logged in", async () => {
      const person = await register();
      const first = codeFor(person, "VERIFY_EMAIL");
      expect((await post("/resend-verification", {}, person.token)).status).toBe(200);
      expect(codeFor(person, "VERIFY_EMAIL")).not.toBe(first);
    });

    it("is noted instead, if it was done on Firebase's own page", async () => {
      const person = await register();
      Object.assign(firebase.account(person.email) ?? {}, { emailVerified: true });
      expect(await post("/resend-verification", {}, person.token)).toMatchObject({
        status: 200,
        body: { detail: "Your email address is already verified." },
      });
      expect(await isVerified(person)).toBe(true);
    });

    it("asks the user to log in again if Firebase rejects the refresh token", async () => {
      const person = await register();
      firebase.setPassword(person.email, NEW_PASSWORD);
      expect(await post("/resend-verification", {}, person.token)).toMatchObject({
        status: 401,
        body: { code: "unauthenticated" },
      });
      const { token } = await logIn(person, NEW_PASSWORD);
      expect((await post("/resend-verification", {}, token)).status).toBe(200);
    });

    it.each(FAILURES)("is unavailable when Firebase fails by %j", async (failure) => {
      const person = await register();
      const token = codeFor(person, "VERIFY_EMAIL");
      firebase.fail("accounts:update", failure);
      firebase.fail("token", failure);
      expect(await post("/verify-email", { token })).toMatchObject(UNAVAILABLE);
      expect(await post("/resend-verification", {}, person.token)).toMatchObject(UNAVAILABLE);
    });
  });

  describe("a forgotten password", () => {
    it("is set by the code of Firebase's mail, once, which ends every session", async () => {
      const person = await register();
      const token = await askReset(person);
      const reset = () => post("/reset-password", { token, new_password: NEW_PASSWORD });
      expect((await reset()).status).toBe(200);
      expect(await meStatuses(person.token)).toEqual([401]);
      expect((await logIn(person, TEST_PASSWORD)).status).toBe(401);
      const first = await logIn(person, NEW_PASSWORD);
      const second = await logIn(person, NEW_PASSWORD);
      expect(await meStatuses(first.token, second.token)).toEqual([200, 200]);
      expect(await reset()).toMatchObject(INVALID);
    });

    it("is not set by a code that is made up, has expired or is for something else", async () => {
      const person = await register();
      const expired = (await askReset(person)) ?? "";
      firebase.expire(expired);
      for (const token of ["made up", expired, codeFor(person, "VERIFY_EMAIL")]) {
        const answer = await post("/reset-password", { token, new_password: NEW_PASSWORD });
        expect(answer).toMatchObject(INVALID);
      }
      expect((await logIn(person, TEST_PASSWORD)).status).toBe(200);
    });

    it("is set although Firebase fails right after it, and all sessions end", async () => {
      const person = await register();
      const token = await askReset(person);
      firebase.fail("accounts:lookup", { kind: "down" });
      const answer = await post("/reset-password", { token, new_password: NEW_PASSWORD });
      expect(answer.status).toBe(200);
      expect(await meStatuses(person.token)).toEqual([401]);
      firebase.reset();
      const first = await logIn(person, NEW_PASSWORD);
      const second = await logIn(person, NEW_PASSWORD);
      expect(await meStatuses(first.token, second.token)).toEqual([200, 200]);
    });

    it("is answered alike for known and unknown addresses, and whatever Firebase says", async () => {
      const { email } = await register();
      const others = [
        () => firebase.hideAddresses(true),
        () => firebase.hideAddresses(false),
        () => firebase.fail("accounts:sendOobCode", { kind: "down" }),
        () =>
          firebase.fail("accounts:sendOobCode", {
            kind: "refusal",
            message: "RESET_PASSWORD_EXCEED_LIMIT",
          }),
      ];
      for (const arrange of others) {
        arrange();
        for (const address of [email, "unknown@example.com"]) {
          expect(await post("/forgot-password", { email: address })).toEqual({
            status: 200,
            body: { detail: resetLinkSentMessage(address) },
          });
        }
        await server.deps.background.settled();
      }
    });
  });

  describe("a change of password", () => {
    const change = (token: string, current = TEST_PASSWORD) =>
      post("/change-password", { current_password: current, new_password: NEW_PASSWORD }, token);

    it("is made at Firebase, and ends every other session", async () => {
      const person = await register();
      const elsewhere = await logIn(person, TEST_PASSWORD);
      expect((await change(person.token)).status).toBe(200);
      expect(firebase.account(person.email)?.password).toBe(NEW_PASSWORD);
      expect(await meStatuses(person.token, elsewhere.token)).toEqual([200, 401]);
      const next = await logIn(person, NEW_PASSWORD);
      expect(await meStatuses(person.token, next.token)).toEqual([200, 200]);
    });

    it("needs the current password", async () => {
      const person = await register();
      const elsewhere = await logIn(person, TEST_PASSWORD);
      expect(await change(person.token, "wrong")).toMatchObject({
        status: 403,
        body: { code: "wrong-password" },
      });
      expect(await meStatuses(person.token, elsewhere.token)).toEqual([200, 200]);
      expect(firebase.account(person.email)?.password).toBe(TEST_PASSWORD);
    });

    it.each(["accounts:signInWithPassword", "accounts:update"] as const)(
      "changes nothing when %s fails",
      async (call) => {
        const person = await register();
        const elsewhere = await logIn(person, TEST_PASSWORD);
        for (const failure of FAILURES) {
          firebase.fail(call, failure);
          expect(await change(person.token)).toMatchObject(UNAVAILABLE);
        }
        firebase.reset();
        expect(await meStatuses(person.token, elsewhere.token)).toEqual([200, 200]);
        expect((await logIn(person, TEST_PASSWORD)).status).toBe(200);
      },
    );

    it("whose answer got lost ends the other sessions at the next login", async () => {
      const person = await register();
      const elsewhere = await logIn(person, TEST_PASSWORD);
      firebase.fail("accounts:update", { kind: "lost-answer" });
      expect(await change(person.token)).toMatchObject(UNAVAILABLE);
      firebase.reset();
      const next = await logIn(person, NEW_PASSWORD);
      expect(await meStatuses(elsewhere.token, next.token)).toEqual([401, 200]);
    });

    it("that Firebase finds too weak is refused with its code", async () => {
      const person = await register();
      const message = "PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing: [Digit]";
      firebase.fail("accounts:update", { kind: "refusal", message });
      expect(await change(person.token)).toMatchObject({
        status: 422,
        body: { code: "PASSWORD_DOES_NOT_MEET_REQUIREMENTS" },
      });
    });
  });

  describe("a deleted user", () => {
    const deleteByAdmin = async ({ username }: Person) => {
      const admin = await createUser(server.database, { role: "admin", approved: true });
      const token = signTokenFor(admin, server.deps.settings);
      return post(`/admin/delete-user/${username}`, {}, token);
    };

    it("is deleted at Firebase too", async () => {
      const person = await register();
      expect((await deleteByAdmin(person)).status).toBe(200);
      expect(firebase.account(person.email)).toBeUndefined();
      expect((await post("/register", { ...person, password: NEW_PASSWORD })).status).toBe(201);
    });

    it.each(["token", "accounts:delete"] as const)(
      "stays while Firebase fails at %s, and can be deleted later",
      async (call) => {
        const person = await register();
        for (const failure of FAILURES) {
          firebase.fail(call, failure);
          expect(await deleteByAdmin(person)).toMatchObject(UNAVAILABLE);
        }
        expect((await logIn(person, TEST_PASSWORD)).status).toBe(200);
        firebase.reset();
        expect((await deleteByAdmin(person)).status).toBe(200);
        expect(firebase.account(person.email)).toBeUndefined();
      },
    );

    it("is deleted although Firebase rejects the refresh token, which is logged", async () => {
      const person = await register();
      firebase.setPassword(person.email, NEW_PASSWORD);
      expect((await deleteByAdmin(person)).status).toBe(200);
      const left = firebase.account(person.email);
      expect(server.logLines.join()).toMatch(
        new RegExp(`${left?.localId}.*account may remain at Firebase`),
      );
      expect((await post("/register", { ...person, password: NEW_PASSWORD })).status).toBe(201);
    });

    it("is deleted although Firebase no longer knows it", async () => {
      const person = await register();
      firebase.fail("accounts:delete", { kind: "refusal", message: "USER_NOT_FOUND" });
      expect((await deleteByAdmin(person)).status).toBe(200);
      expect((await logIn(person, TEST_PASSWORD)).status).toBe(401);
    });
  });
});
