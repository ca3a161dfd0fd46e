import { createHash } from "node:crypto";
import { meSchema, userCardSchema } from "@shared/contract/account.ts";
import { HOUR_MS } from "@shared/contract/constants.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import { createUser, signTokenFor, TEST_PASSWORD } from "@shared/testing/factories.ts";
import { type FakeSmtp, startFakeSmtp } from "@shared/testing/fakes/fake-smtp.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

const NEW_PASSWORD = "a new password";
const INVALID = {
  status: 422,
  body: {
    code: "invalid-token",
    detail: "This link is no longer valid. Please request a new one.",
    request_id: expect.any(String),
  },
};
const oneTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe("the links of mails", () => {
  let smtp: FakeSmtp;
  let server: TestServer;
  let clockMs = 0;
  beforeAll(async () => {
    smtp = await startFakeSmtp();
    server = await startTestServer({
      databaseUri: testDatabaseUri(),
      environment: {
        SMTP_URL: smtp.url,
        RATE_LIMIT: "off",
        CLIENT_ORIGIN: "https://app.example.com,https://www.example.com",
      },
      overrides: { now: () => new Date(Date.now() + clockMs) },
    });
  });
  afterAll(async () => {
    await server.stop();
    await smtp.close();
  });

  const post = async (path: string, json: unknown, token?: string) => {
    const answer = await server.call(path, { json, token });
    return { status: answer.status, body: await answer.json() };
  };
  const later = async <Result>(ms: number, act: () => Promise<Result>): Promise<Result> => {
    clockMs = ms;
    try {
      return await act();
    } finally {
      clockMs = 0;
    }
  };
  const tokenOf = (user: UserRecord) => signTokenFor(user, server.deps.settings);
  const lastMailTo = (user: Pick<UserRecord, "email">) => {
    const mail = smtp.mailsTo(user.email).at(-1);
    if (!mail) throw new Error(`no mail to ${user.email}`);
    return mail;
  };
  /** What each kind of link is asked for and used with. */
  const kinds = {
    verification: {
      path: "/verify-email",
      ask: async (user: UserRecord) => {
        expect((await post("/resend-verification", {}, tokenOf(user))).status).toBe(200);
        return lastMailTo(user).token;
      },
      use: (token: string) => post("/verify-email", { token }),
    },
    reset: {
      path: "/reset-password",
      ask: async (user: UserRecord) => {
        expect((await post("/forgot-password", { email: user.email })).status).toBe(200);
        await server.deps.background.settled();
        return lastMailTo(user).token;
      },
      use: (token: string) => post("/reset-password", { token, new_password: NEW_PASSWORD }),
    },
  };

  describe.each([
    ["verification", 24 * HOUR_MS],
    ["reset", HOUR_MS],
  ] as const)("of a %s", (kind, lifetimeMs) => {
    const { path, ask, use } = kinds[kind];

    it("lead to the first of the web origins", async () => {
      const user = await createUser(server.database);
      const token = await ask(user);
      expect(lastMailTo(user).link).toBe(`https://app.example.com${path}?token=${token}`);
      expect(lastMailTo(user).html).toContain(lastMailTo(user).link);
    });

    it("carry 32 random bytes, of which only a hash is stored", async () => {
      const user = await createUser(server.database);
      const first = await ask(user);
      const second = await ask(user);
      expect(Buffer.from(second, "base64url")).toHaveLength(32);
      expect(second).not.toBe(first);
      const stored = await server.database.mailTokens.find({ identityId: user.identityId }).lean();
      const tokenHash = createHash("sha256").update(second).digest("hex");
      expect(stored).toMatchObject([{ kind, tokenHash }]);
      expect(JSON.stringify(stored)).not.toContain(second);
    });

    it("work once", async () => {
      const token = await ask(await createUser(server.database));
      expect((await use(token)).status).toBe(200);
      expect(await use(token)).toEqual(INVALID);
    });

    it("work once, however many use them at the same moment", async () => {
      const token = await ask(await createUser(server.database));
      const answers = await Promise.all(oneTo(10).map(() => use(token)));
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([200, ...oneTo(9).map(() => 422)]);
      expect(answers.filter(({ status }) => status === 422)).toEqual(oneTo(9).map(() => INVALID));
    });

    it("work until they expire", async () => {
      const user = await createUser(server.database);
      const token = await ask(user);
      expect(await later(lifetimeMs + 1_000, () => use(token))).toEqual(INVALID);
      expect((await later(lifetimeMs - 10_000, () => use(token))).status).toBe(200);
    });

    it("are void once a newer one has been sent", async () => {
      const user = await createUser(server.database);
      const first = await ask(user);
      const second = await ask(user);
      expect(await use(first)).toEqual(INVALID);
      expect((await use(second)).status).toBe(200);
    });

    it("are good for nothing else", async () => {
      const other = kind === "reset" ? kinds.verification : kinds.reset;
      const token = await ask(await createUser(server.database));
      expect(await other.use(token)).toEqual(INVALID);
      expect((await use(token)).status).toBe(200);
    });

    it("are void once the account is deleted", async () => {
      const user = await createUser(server.database);
      const token = await ask(user);
      await server.deps.identity.deleteAccount({ identityId: user.identityId });
      expect(await use(token)).toEqual(INVALID);
    });

    it.each([
      ["short", "wrong"],
      ["of the right length", "A".repeat(43)],
      ["long", "0".repeat(1_000)],
      ["odd", "$ne\u0000"],
    ])("are no good when they are made up, and %s", async (_, token) => {
      expect(await use(token)).toEqual(INVALID);
    });

    it.each([undefined, "", null, { $ne: "" }, ["x"], 5])("cannot be %j", async (token) => {
      const { status, body } = await post(path, { token, new_password: NEW_PASSWORD });
      expect(status).toBe(422);
      expect(body).toMatchObject({ code: "invalid-input", errors: [{ field: "token" }] });
    });

    it("are forgotten by the database after they have expired", async () => {
      expect(await server.database.mailTokens.listIndexes()).toContainEqual(
        expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 0 }),
      );
    });
  });

  it("confirm the address of a new account, and notify its owner and the administrators", async () => {
    const registered = await post("/register", {
      username: "newcomer",
      email: "New@Example.com",
      password: TEST_PASSWORD,
    });
    expect(registered.status).toBe(201);
    const me = async () => {
      const answer = await server.call("/me", { token: registered.body.token });
      return meSchema.parse(await answer.json());
    };
    expect(await me()).toMatchObject({ email_verified: false });
    const mail = lastMailTo({ email: "New@Example.com" });
    expect(mail.text).toMatch(/^Hello newcomer,/);
    expect(await post("/verify-email", { token: mail.token })).toMatchObject({
      status: 200,
      body: { detail: "Your email address is verified." },
    });
    expect(await me()).toMatchObject({ email_verified: true, approved: false });

    const user = await server.database.users.findOne({ usernameKey: "newcomer" }).lean();
    const events = await server.database.events
      .find({ stream: userStream(user?._id ?? "") })
      .lean();
    expect(events).toMatchObject([
      { name: "account:updated", seq: 1, data: { reason: "email-verified", approved: false } },
    ]);
    const admins = await server.database.events
      .find({ stream: ADMINS_STREAM, "data.username": "newcomer" })
      .sort({ seq: 1 })
      .lean();
    expect(admins.map(({ name }) => name)).toEqual(["user:registered", "user:updated"]);
    expect(userCardSchema.parse(admins[1]?.data)).toMatchObject({ email_verified: true });
  });

  it("add no event if the address is confirmed already", async () => {
    const user = await createUser(server.database);
    const token = await kinds.verification.ask(user);
    await server.database.users.updateOne({ _id: user._id }, { emailVerified: true });
    expect((await kinds.verification.use(token)).status).toBe(200);
    const count = await server.database.events.countDocuments({ stream: userStream(user._id) });
    expect(count).toBe(0);
  });

  it("are not used up by a new password that is refused", async () => {
    const user = await createUser(server.database);
    const token = await kinds.reset.ask(user);
    const refused = await post("/reset-password", { token, new_password: "short" });
    expect(refused).toMatchObject({
      status: 422,
      body: {
        code: "invalid-input",
        detail: "New password must be at least 6 characters long.",
        errors: [{ field: "new_password" }],
      },
    });
    expect((await kinds.reset.use(token)).status).toBe(200);
  });

  it("that reset a password are void once it has been changed", async () => {
    const user = await createUser(server.database);
    const token = await kinds.reset.ask(user);
    const change = { current_password: TEST_PASSWORD, new_password: "changed meanwhile" };
    expect((await post("/change-password", change, tokenOf(user))).status).toBe(200);
    expect(await kinds.reset.use(token)).toEqual(INVALID);
  });

  it("never show in the log where mails leave through a server", async () => {
    const user = await createUser(server.database, { username: "discreet" });
    const used = [await kinds.verification.ask(user), await kinds.reset.ask(user)];
    await kinds.verification.use(used[0] ?? "");
    await kinds.reset.use(used[1] ?? "");
    const log = server.logLines.join();
    expect(log).toContain('"path":"/reset-password"');
    const tokens = smtp.mails.map(({ token }) => token).filter(Boolean);
    expect(tokens.length).toBeGreaterThanOrEqual(used.length);
    for (const token of tokens) expect(log).not.toContain(token);
    expect(log).not.toContain(NEW_PASSWORD);
  });
});
