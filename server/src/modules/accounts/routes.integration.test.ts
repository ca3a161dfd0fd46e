import { meSchema, sessionSchema } from "@shared/contract/account.ts";
import { eventSchemas } from "@shared/contract/events/event-data.ts";
import { commit } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import { createUser, signTokenFor, TEST_PASSWORD } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";
import { argon2id } from "./identity/builtin-identity.ts";

const hashing = { ...argon2id };

describe("accounts", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ databaseUri: testDatabaseUri(), hashing });
  });
  afterAll(() => server.stop());

  const post = async (path: string, json: unknown) => {
    const answer = await server.call(path, { json });
    return { status: answer.status, body: await answer.json() };
  };

  describe("POST /register", () => {
    it("creates a user who needs approval, and logs them in", async () => {
      const { status, body } = await post("/register", {
        username: "Ann",
        email: "Ann@Example.com",
        password: "secret-1",
      });
      expect(status).toBe(201);
      const { token, ...rest } = sessionSchema.parse(body);
      expect(rest).toEqual({ username: "Ann", approved: false, role: "user" });
      const me = await server.call("/me", { token });
      expect(await me.json()).toMatchObject({ username: "Ann", email: "Ann@Example.com" });
    });

    it("notifies the administrators", async () => {
      await post("/register", {
        username: "new-user",
        email: "new-user@example.com",
        password: "secret-1",
      });
      const event = await server.database.events
        .findOne({ stream: ADMINS_STREAM, "data.username": "new-user" })
        .lean();
      expect(event?.name).toBe("user:registered");
      expect(eventSchemas["user:registered"].parse(event?.data)).toMatchObject({
        email: "new-user@example.com",
        email_verified: false,
        approved: false,
        image_credits: 0,
        payment_proof: null,
      });
    });

    it("keeps the password as an argon2id hash only", async () => {
      const password = "not-to-be-found";
      await post("/register", { username: "hashed", email: "hashed@example.com", password });
      const identity = await server.database.identities.findOne({ emailKey: "hashed@example.com" });
      expect(identity?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
      for (const { name } of await server.database.connection.listCollections()) {
        const documents = await server.database.connection.collection(name).find().toArray();
        expect(JSON.stringify(documents)).not.toContain(password);
      }
    });

    it.each([
      ["name", { username: "TAKEN", email: "free@example.com" }, "auth/username-already-in-use"],
      ["address", { username: "free", email: "TAKEN@example.com" }, "auth/email-already-in-use"],
    ])(
      "refuses a %s that is taken, in whatever case, and makes nothing",
      async (_, given, code) => {
        await createUser(server.database, { username: "taken", email: "taken@example.com" }).catch(
          () => undefined,
        );
        const before = await countAll();
        const { status, body } = await post("/register", { ...given, password: "secret-1" });
        expect(status).toBe(409);
        expect(body).toMatchObject({ code, detail: expect.stringMatching(/already/) });
        expect(await countAll()).toEqual(before);
      },
    );

    it("makes no half account when the identity account cannot be made", async () => {
      await server.database.identities.insertOne({
        emailKey: "orphan@example.com",
        passwordHash: "of somebody without a user",
        createdAt: new Date(),
      });
      const before = await countAll();
      const { status, body } = await post("/register", {
        username: "orphan",
        email: "orphan@example.com",
        password: "secret-1",
      });
      expect({ status, code: body.code }).toEqual({
        status: 409,
        code: "auth/email-already-in-use",
      });
      expect(await countAll()).toEqual(before);
    });

    it.each([
      ["username", { username: "a" }],
      ["username", { username: "with space" }],
      ["username", { username: "x".repeat(33) }],
      ["username", { username: undefined }],
      ["username", { username: { $gt: "" } }],
      ["username", { username: ["ann"] }],
      ["email", { email: "no-address" }],
      ["email", { email: { $ne: null } }],
      ["email", { email: undefined }],
      ["password", { password: "short" }],
      ["password", { password: "x".repeat(257) }],
      ["password", { password: 12_345_678 }],
    ])("names %s as the field that is wrong in %j", async (field, wrong) => {
      const { status, body } = await post("/register", {
        username: "right",
        email: "right@example.com",
        password: "secret-1",
        ...wrong,
      });
      expect(status).toBe(422);
      expect(body.code).toBe("invalid-input");
      expect(body.errors.map((error: { field: string }) => error.field)).toEqual([field]);
      expect(body.detail).toBe(body.errors[0].message);
      expect(await server.database.users.countDocuments({ usernameKey: "right" })).toBe(0);
    });

    it("does not accept permissions in the request", async () => {
      const { body } = await post("/register", {
        username: "climber",
        email: "climber@example.com",
        password: "secret-1",
        role: "admin",
        approved: true,
        imageCredits: 99,
        constructor: { prototype: { role: "admin" } },
      });
      expect(body).toMatchObject({ role: "user", approved: false });
      const user = await server.database.users.findOne({ usernameKey: "climber" }).lean();
      expect(user).toMatchObject({ role: "user", approved: false, imageCredits: 0 });
    });

    it("takes a form as well", async () => {
      const body = new URLSearchParams({
        username: "form",
        email: "f@example.com",
        password: "secret-1",
      });
      const answer = await server.call("/register", { method: "POST", body });
      expect(answer.status).toBe(201);
    });

    const countAll = async () => ({
      users: await server.database.users.countDocuments(),
      identities: await server.database.identities.countDocuments(),
      events: await server.database.events.countDocuments(),
    });
  });

  describe("POST /login", () => {
    beforeAll(async () => {
      await createUser(server.database, {
        username: "Lena",
        email: "Lena@Example.com",
        approved: true,
        role: "admin",
      });
    });

    it.each(["Lena", "lena", "LENA", "lena@example.com", "Lena@Example.com", " Lena "])(
      "logs in as %j",
      async (username) => {
        const { status, body } = await post("/login", { username, password: TEST_PASSWORD });
        expect(status).toBe(200);
        expect(sessionSchema.parse(body)).toMatchObject({
          username: "Lena",
          approved: true,
          role: "admin",
        });
      },
    );

    it("gives each login a session of its own", async () => {
      const credentials = { username: "Lena", password: TEST_PASSWORD };
      const first = await post("/login", credentials);
      const second = await post("/login", credentials);
      expect(first.body.token).not.toBe(second.body.token);
    });

    it("answers a wrong password and an unknown name alike", async () => {
      const wrong = await post("/login", { username: "Lena", password: "wrong" });
      const unknown = await post("/login", { username: "unknown", password: TEST_PASSWORD });
      const unknownAddress = await post("/login", { username: "no@body.com", password: "wrong" });
      for (const { status, body } of [wrong, unknown, unknownAddress]) {
        expect(status).toBe(401);
        expect(body).toEqual({
          detail: "Wrong username or password.",
          code: "invalid-credentials",
          request_id: expect.any(String),
        });
      }
    });

    it("does the same work for an unknown name as for a wrong password", async () => {
      const verified = vi.spyOn(hashing, "verify");
      const worksFor = async (username: string) => {
        verified.mockClear();
        await post("/login", { username, password: "wrong-one" });
        return verified.mock.calls.length;
      };
      expect(await worksFor("Lena")).toBe(1);
      expect(await worksFor("unknown")).toBe(1);
      expect(await worksFor("no@body.com")).toBe(1);
    });

    it.each([
      { username: { $gt: "" }, password: TEST_PASSWORD },
      { username: "Lena", password: { $gt: "" } },
      { username: { $regex: ".*" }, password: { $ne: null } },
      { username: ["Lena"], password: [TEST_PASSWORD] },
      { username: "", password: "" },
      { username: null, password: null },
      {},
      [],
    ])("refuses %j as input", async (credentials) => {
      const { status, body } = await post("/login", credentials);
      expect({ status, code: body.code }).toEqual({ status: 422, code: "invalid-input" });
    });

    it.each(["\u0000", "\ud800", "$where", "__proto__", ".*"])(
      "takes the odd name and password %j as wrong",
      async (odd) => {
        expect(await post("/login", { username: odd, password: odd })).toMatchObject({
          status: 401,
        });
        expect(await post("/login", { username: "Lena", password: odd })).toMatchObject({
          status: 401,
        });
      },
    );

    it("does not read operators out of a form", async () => {
      const body = new URLSearchParams({ "username[$gt]": "", "password[$gt]": "" });
      const answer = await server.call("/login", { method: "POST", body });
      expect(answer.status).toBe(422);
    });
  });

  describe("GET /me", () => {
    it("shows a user their own account and the positions of their own stream", async () => {
      const user = await createUser(server.database, { imageCredits: 3, allowImageUpload: true });
      await commit(server.database, { lockKeys: "test" }, async (uow) => {
        uow.addEvent(userStream(user._id), "proof:deleted", {});
        uow.addEvent(userStream(user._id), "history:cleared", {});
      });
      const answer = await server.call("/me", { token: signTokenFor(user, server.deps.settings) });
      expect(answer.status).toBe(200);
      expect(meSchema.strict().parse(await answer.json())).toEqual({
        username: user.username,
        email: user.email,
        email_verified: false,
        role: "user",
        approved: false,
        allow_image_upload: true,
        image_credits: 3,
        subscription: null,
        payment_proof: null,
        two_factor: { enabled: false, recovery_codes_left: 0 },
        stream_positions: { user: 2 },
      });
    });

    it("gives an administrator the admins' stream too", async () => {
      const admin = await createUser(server.database, { role: "admin", approved: true });
      await post("/register", {
        username: "reader",
        email: "reader@example.com",
        password: "secret-1",
      });
      const head = await server.database.streamHeads.findById(ADMINS_STREAM).lean();
      const answer = await server.call("/me", { token: signTokenFor(admin, server.deps.settings) });
      expect(meSchema.parse(await answer.json())).toMatchObject({
        role: "admin",
        stream_positions: { user: 0, admins: head?.seq },
      });
      expect(head?.seq).toBeGreaterThan(0);
    });

    it("needs a token", async () => {
      const answer = await server.call("/me");
      expect(answer.status).toBe(401);
      expect(await answer.json()).toMatchObject({
        code: "unauthenticated",
        detail: "Please log in to continue.",
      });
    });
  });

  it("never logs a password, a token or a secret", async () => {
    const password = "a-password-that-must-not-show";
    const { body } = await post("/register", {
      username: "quiet",
      email: "q@example.com",
      password,
    });
    await post("/register", { username: "quiet", email: "q@example.com", password });
    await post("/login", { username: "quiet", password });
    await post("/login", { username: "quiet", password: `${password}-wrong` });
    await server.call("/me", { token: body.token });
    await server.call(`/me?token=${body.token}`);
    await server.call("/login", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: `{"username":"quiet","password":"${password}"`,
    });
    const log = server.logLines.join();
    expect(log).toContain('"path":"/login"');
    for (const secret of [password, body.token, server.deps.settings.JWT_SECRET, "$argon2id"]) {
      expect(log).not.toContain(secret);
    }
  });
});
