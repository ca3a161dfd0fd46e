import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import { TEST_PASSWORD } from "@shared/testing/factories.ts";
import { type FakeFirebase, startFakeFirebase } from "@shared/testing/fakes/fake-firebase.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../../testing/start-test-server.ts";

const NEW_PASSWORD = "a new password";
const REFUSED = {
  status: 401,
  body: {
    detail: "Wrong username or password.",
    code: "invalid-credentials",
    request_id: expect.any(String),
  },
};

describe("login by way of Firebase", () => {
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
  beforeEach(() => {
    firebase.reset();
    firebase.hideAddresses(true);
  });
  afterAll(async () => {
    await server.stop();
    await firebase.close();
  });

  const post = async (path: string, json: unknown, token?: string) => {
    const answer = await server.call(path, { json, token });
    return { status: answer.status, body: await answer.json() };
  };
  const meStatus = async (token: string) => (await server.call("/me", { token })).status;
  let lastPerson = 0;
  const register = async () => {
    const username = `person-${++lastPerson}`;
    const email = `${username}@example.com`;
    const { status, body } = await post("/register", { username, email, password: TEST_PASSWORD });
    expect(status).toBe(201);
    firebase.reset();
    const user = await server.database.users.findOne({ usernameKey: username }).lean();
    if (!user) throw new Error("not registered");
    return { username, email, user, token: String(body.token) };
  };
  const logIn = (username: string, password = TEST_PASSWORD) =>
    post("/login", { username, password });
  const accountOf = (email: string) => {
    const account = firebase.account(email);
    if (!account) throw new Error(`Firebase does not know ${email}`);
    return account;
  };
  const toldTo = async (stream: string, name: string) =>
    server.database.events.find({ stream, name }).lean();

  it.each([true, false])(
    "answers a wrong password and an unknown name alike, after the same work (addresses hidden: %j)",
    async (hides) => {
      const { username, email } = await register();
      firebase.hideAddresses(hides);
      const attempts = [
        [username, "wrong"],
        [email, "wrong"],
        ["unknown", TEST_PASSWORD],
        ["no@body.com", TEST_PASSWORD],
      ] as const;
      for (const [name, password] of attempts) {
        firebase.reset();
        expect(await logIn(name, password)).toEqual(REFUSED);
        expect(firebase.calls).toEqual(["accounts:signInWithPassword"]);
      }
    },
  );

  it("answers in the same way for an account that was disabled there", async () => {
    const { username, email } = await register();
    accountOf(email).disabled = true;
    expect(await logIn(username)).toEqual(REFUSED);
  });

  it("refuses an account that another person made there under the user's address", async () => {
    const { username, email } = await register();
    accountOf(email).localId = "another-account";
    expect(await logIn(username)).toEqual(REFUSED);
    expect(server.logLines.join()).toContain("another account with this user's address");
  });

  it.each([
    ["down", 503, "unavailable"],
    ["html", 503, "unavailable"],
  ] as const)(
    "answers known and unknown names alike when Firebase is %s",
    async (kind, ...answer) => {
      const { username } = await register();
      firebase.fail("accounts:signInWithPassword", { kind });
      for (const name of [username, "unknown"]) {
        const { status, body } = await logIn(name);
        expect([status, body.code]).toEqual(answer);
      }
    },
  );

  it("passes on that there were too many attempts", async () => {
    const { username } = await register();
    const message = "TOO_MANY_ATTEMPTS_TRY_LATER : Access has been temporarily disabled";
    firebase.fail("accounts:signInWithPassword", { kind: "refusal", message });
    const json = { username, password: TEST_PASSWORD };
    const answer = await server.call("/login", { json });
    expect(answer.status).toBe(429);
    expect(answer.headers.get("Retry-After")).toBe("300");
    expect(await answer.json()).toMatchObject({ code: "TOO_MANY_ATTEMPTS_TRY_LATER" });
  });

  it("stores that an address was confirmed there, with one event", async () => {
    const { username, email, user } = await register();
    accountOf(email).emailVerified = true;
    const { body } = await logIn(username);
    const me = await server.call("/me", { token: body.token });
    expect(await me.json()).toMatchObject({ email_verified: true });
    await logIn(username);
    expect(await toldTo(userStream(user._id), "account:updated")).toMatchObject([
      { data: { reason: "email-verified" } },
    ]);
    const cards = await toldTo(ADMINS_STREAM, "user:updated");
    expect(cards.filter(({ data }) => JSON.stringify(data).includes(email))).toHaveLength(1);
  });

  it("ends the sessions of the old password when it was reset there", async () => {
    const { username, email, token } = await register();
    firebase.setPassword(email, NEW_PASSWORD);
    expect(await logIn(username)).toEqual(REFUSED);
    expect(await meStatus(token)).toBe(200);
    const { status, body } = await logIn(username, NEW_PASSWORD);
    expect(status).toBe(200);
    expect([await meStatus(token), await meStatus(body.token)]).toEqual([401, 200]);
    const next = await logIn(username, NEW_PASSWORD);
    expect([await meStatus(body.token), await meStatus(next.body.token)]).toEqual([200, 200]);
  });

  it("ends no new session of several that begin at once after such a reset", async () => {
    const { username, email, token } = await register();
    firebase.setPassword(email, NEW_PASSWORD);
    const logins = await Promise.all(
      Array.from({ length: 5 }, () => logIn(username, NEW_PASSWORD)),
    );
    expect(await meStatus(token)).toBe(401);
    for (const { body } of logins) expect(await meStatus(body.token)).toBe(200);
    const orders = await server.database.events
      .find({ name: "session:ended", "data.reason": "password-changed" })
      .lean();
    const user = await server.database.users.findOne({ usernameKey: username }).lean();
    expect(orders.filter(({ data }) => JSON.stringify(data).includes(`${user?._id}`))).toHaveLength(
      1,
    );
  });

  it("keeps what Firebase gave it encrypted in the database, and out of the log", async () => {
    const { username } = await register();
    await logIn(username);
    await logIn(username, "wrong-password");
    firebase.fail("accounts:lookup", { kind: "status", status: 500 });
    await logIn(username);
    const log = server.logLines.join();
    expect(log).toContain("Firebase failed with status 500");
    for (const { name } of await server.database.connection.listCollections()) {
      const documents = await server.database.connection.collection(name).find().toArray();
      expect(JSON.stringify(documents)).not.toMatch(/refresh-|"id-/);
    }
    expect(log).not.toMatch(/refresh-[0-9a-f]{8}|id-[0-9a-f]{8}-/);
    for (const secret of [firebase.apiKey, TEST_PASSWORD, "wrong-password"]) {
      expect(log).not.toContain(secret);
    }
  });
});
