import { SettingsError } from "@shared/runtime/settings.ts";
import { TEST_PASSWORD } from "@shared/testing/factories.ts";
import { startDatabaseRelay } from "@shared/testing/failing-database.ts";
import {
  type FakeFirebase,
  type FirebaseFailure,
  startFakeFirebase,
} from "@shared/testing/fakes/fake-firebase.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { startTestServer, type TestServer } from "../../../testing/start-test-server.ts";
import { ensureFirstAdmin } from "../register.ts";

/** One of each status that the client makes of what can go wrong with a call. */
const FAILURES: FirebaseFailure[] = [
  { kind: "refusal", message: "SOMETHING_NEW" },
  { kind: "refusal", message: "TOO_MANY_ATTEMPTS_TRY_LATER" },
  { kind: "down" },
];
const NONSENSE: FirebaseFailure = { kind: "nonsense" };

describe("registration at Firebase", () => {
  let firebase: FakeFirebase;
  let server: TestServer;
  const startOn = (databaseUri: string) =>
    startTestServer({
      databaseUri,
      environment: {
        IDENTITY_PROVIDER: "firebase",
        FIREBASE_API_KEY: firebase.apiKey,
        FIREBASE_AUTH_URL: firebase.url,
        RATE_LIMIT: "off",
      },
    });
  beforeAll(async () => {
    firebase = await startFakeFirebase();
    server = await startOn(testDatabaseUri());
  });
  beforeEach(() => firebase.reset());
  afterAll(async () => {
    await server.stop();
    await firebase.close();
  });

  const post = async (path: string, json: unknown, at = server) => {
    const answer = await at.call(path, { json });
    const retryAfter = answer.headers.get("Retry-After");
    return { status: answer.status, retryAfter, body: await answer.json() };
  };
  let lastPerson = 0;
  const somebody = () => {
    const username = `person-${++lastPerson}`;
    return { username, email: `${username}@example.com`, password: TEST_PASSWORD };
  };
  const countIn = async ({ database }: TestServer) => ({
    users: await database.users.countDocuments(),
    accounts: await database.firebaseAccounts.countDocuments(),
    events: await database.events.countDocuments(),
  });
  const loginStatus = async (person: { username: string; password: string }, at = server) =>
    (await post("/login", person, at)).status;

  it("makes the account there, and leaves the mail to Firebase", async () => {
    const person = somebody();
    expect(await post("/register", person)).toMatchObject({
      status: 201,
      body: { username: person.username, approved: false, role: "user" },
    });
    const account = firebase.account(person.email);
    const user = await server.database.users.findOne({ usernameKey: person.username }).lean();
    expect(user?.identityId).toBe(account?.localId);
    expect(firebase.mails.filter(({ email }) => email === person.email)).toMatchObject([
      { requestType: "VERIFY_EMAIL" },
    ]);
    expect(await server.database.identities.countDocuments()).toBe(0);
    expect(await server.database.mailTokens.countDocuments()).toBe(0);
    expect(await loginStatus(person)).toBe(200);
  });

  describe.each([
    ["accounts:signUp", [...FAILURES, NONSENSE]],
    ["accounts:lookup", [...FAILURES, NONSENSE]],
    ["accounts:sendOobCode", FAILURES],
  ] as const)("when %s fails", (call, failures) => {
    it.each(failures)("by %j, leaves nothing, and works later", async (failure) => {
      const person = somebody();
      const before = await countIn(server);
      firebase.fail(call, failure);
      const { status, body, retryAfter } = await post("/register", person);
      expect([422, 429, 503]).toContain(status);
      expect(body.detail).toMatch(/^[A-Z].*\.$/);
      if (status !== 422) expect(retryAfter).toMatch(/^[1-9]\d*$/);
      expect(await countIn(server)).toEqual(before);
      expect(firebase.account(person.email)).toBeUndefined();
      firebase.reset();
      expect((await post("/register", person)).status).toBe(201);
      expect(await loginStatus(person)).toBe(200);
    });

    it("after Firebase has done it, makes no user, and works later", async () => {
      const person = somebody();
      const before = await countIn(server);
      firebase.fail(call, { kind: "lost-answer" });
      expect((await post("/register", person)).status).toBe(503);
      expect(await countIn(server)).toEqual(before);
      firebase.reset();
      expect((await post("/register", person)).status).toBe(201);
      expect(await loginStatus(person)).toBe(200);
    });
  });

  it.each([
    ["EMAIL_EXISTS", 409],
    ["WEAK_PASSWORD : Password should be at least 6 characters", 422],
    ["TOO_MANY_ATTEMPTS_TRY_LATER", 429],
  ])("passes %j on as Firebase's own code, with status %i", async (message, status) => {
    firebase.fail("accounts:signUp", { kind: "refusal", message });
    const answer = await post("/register", somebody());
    expect(answer).toMatchObject({ status, body: { code: message.split(" ")[0] } });
  });

  it("refuses a taken name or address without asking Firebase", async () => {
    const person = somebody();
    await post("/register", person);
    firebase.reset();
    const answers = [
      await post("/register", { ...somebody(), username: person.username.toUpperCase() }),
      await post("/register", { ...somebody(), email: person.email.toUpperCase() }),
    ];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [409, "auth/username-already-in-use"],
      [409, "auth/email-already-in-use"],
    ]);
    expect(firebase.calls).toEqual([]);
  });

  it("deletes the account of a user whose name was taken meanwhile", async () => {
    const one = somebody();
    const other = somebody();
    const rivals = [one, { ...other, username: one.username }];
    const answers = await Promise.all(rivals.map((rival) => post("/register", rival)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    const made = rivals.filter(({ email }) => firebase.account(email));
    expect(made).toEqual(rivals.filter((_, index) => answers[index]?.status === 201));
  });

  it("makes one account of many registrations at once, and its owner can log in", async () => {
    const person = somebody();
    const answers = await Promise.all(Array.from({ length: 8 }, () => post("/register", person)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(7);
    expect(await loginStatus(person)).toBe(200);
  });

  describe("of an address that only Firebase knows", () => {
    const leaveBehind = async () => {
      const person = somebody();
      firebase.fail("accounts:sendOobCode", { kind: "down" });
      firebase.fail("accounts:delete", { kind: "status", status: 500 });
      expect((await post("/register", person)).status).toBe(503);
      firebase.reset();
      return person;
    };

    it("adopts what it could not take back, and has said so", async () => {
      const person = await leaveBehind();
      const left = firebase.account(person.email);
      expect(left).toMatchObject({ email: person.email });
      expect(server.logLines.join()).toContain("account not deleted at Firebase");
      expect((await post("/register", person)).status).toBe(201);
      const user = await server.database.users.findOne({ usernameKey: person.username }).lean();
      expect(user?.identityId).toBe(left?.localId);
      expect(await loginStatus(person)).toBe(200);
    });

    it("adopts nothing whose password it does not know, until that is reset", async () => {
      const person = await leaveBehind();
      const stranger = { ...person, password: "another password" };
      expect(await post("/register", stranger)).toMatchObject({
        status: 409,
        body: { code: "EMAIL_EXISTS", detail: "This email address is already in use." },
      });
      await post("/forgot-password", { email: person.email });
      await server.deps.background.settled();
      const { oobCode } = firebase.mails.at(-1) ?? {};
      const reset = { token: oobCode, new_password: "another password" };
      expect((await post("/reset-password", reset)).status).toBe(200);
      expect((await post("/register", stranger)).status).toBe(201);
    });

    it("does not delete what it adopted when that comes to nothing once more", async () => {
      const person = await leaveBehind();
      firebase.fail("accounts:sendOobCode", { kind: "down" });
      expect((await post("/register", person)).status).toBe(503);
      expect(firebase.account(person.email)).toMatchObject({ email: person.email });
    });
  });

  it("makes no user without an account when the database goes away at the last step", async () => {
    const { relay, uri } = await startDatabaseRelay(testDatabaseUri());
    const cutOff = await startOn(uri);
    onTestFinished(cutOff.stop);
    const { identity } = cutOff.deps;
    const prepare = identity.prepareAccount.bind(identity);
    const cutting = vi.spyOn(identity, "prepareAccount").mockImplementation(async (credentials) => {
      const account = await prepare(credentials);
      const sendVerification = async (username: string) => {
        await account.sendVerification(username);
        await relay.cut();
      };
      return { ...account, sendVerification };
    });
    const person = somebody();
    expect((await post("/register", person, cutOff)).status).toBe(503);
    await cutOff.deps.background.settled();
    await relay.restore();
    cutting.mockRestore();
    await vi.waitFor(async () => expect(await countIn(cutOff)).toMatchObject({ users: 0 }), {
      timeout: 10_000,
    });
    await cutOff.database.registrationLocks.deleteMany({});
    expect((await post("/register", person, cutOff)).status).toBe(201);
    expect(await loginStatus(person, cutOff)).toBe(200);
  });

  describe("of the first administrator", () => {
    it("creates the account there, or adopts it, but not with another password", async () => {
      const settings = { ADMIN_USERNAME: "chief", ADMIN_EMAIL: "chief@example.com" };
      for (let start = 1; start <= 2; start++) {
        const fresh = await startOn(testDatabaseUri());
        onTestFinished(fresh.stop);
        Object.assign(fresh.deps.settings, settings);
        expect(await ensureFirstAdmin(fresh.deps)).toBe(true);
        const { ADMIN_PASSWORD: password } = fresh.deps.settings;
        expect(await loginStatus({ username: "chief", password }, fresh)).toBe(200);
      }
      const third = await startOn(testDatabaseUri());
      onTestFinished(third.stop);
      Object.assign(third.deps.settings, settings, { ADMIN_PASSWORD: "another password" });
      const failure = await ensureFirstAdmin(third.deps).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(SettingsError);
      expect(failure).toMatchObject({ message: expect.stringMatching(/^ADMIN_PASSWORD: /) });
    });
  });
});
