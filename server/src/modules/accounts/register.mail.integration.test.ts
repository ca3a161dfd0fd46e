import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createUser, TEST_PASSWORD } from "@shared/testing/factories.ts";
import { type FakeSmtp, readMail, startFakeSmtp } from "@shared/testing/fakes/fake-smtp.ts";
import { freePort } from "@shared/testing/spawn-service.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

type Registration = { username: string; email: string };

const register = async (server: TestServer, request: Registration) => {
  const answer = await server.call("/register", { json: { ...request, password: TEST_PASSWORD } });
  const retryAfter = answer.headers.get("Retry-After");
  return { status: answer.status, retryAfter, body: await answer.json() };
};
/** All that a registration leaves in the database. */
const everything = async ({ database }: TestServer) => ({
  users: await database.users.countDocuments(),
  identities: await database.identities.countDocuments(),
  mailTokens: await database.mailTokens.countDocuments(),
  events: await database.events.countDocuments(),
});
const NOT_SENT = {
  status: 503,
  retryAfter: expect.stringMatching(/^[1-9]\d*$/),
  body: { code: "unavailable", detail: "The email could not be sent. Please try again later." },
};

describe("the mail of a registration", () => {
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

  it.each(["refuse-recipient", "refuse-mail", "stall-mail"] as const)(
    "leaves no account where the mail server behaves as %s, so that the same works later",
    async (behaviour) => {
      const ann = { username: `ann-${behaviour}`, email: `ann-${behaviour}@example.com` };
      const before = await everything(server);
      smtp.behave(behaviour);
      expect(await register(server, ann)).toMatchObject(NOT_SENT);
      expect(await everything(server)).toEqual(before);
      smtp.behave("accept");
      expect(await register(server, ann)).toMatchObject({ status: 201 });
      expect(smtp.mailsTo(ann.email)).toHaveLength(1);
    },
  );

  it("leaves no account if no mail server listens", async () => {
    const lost = await startTestServer({
      databaseUri: testDatabaseUri(),
      environment: { SMTP_URL: `smtp://127.0.0.1:${await freePort()}` },
    });
    onTestFinished(lost.stop);
    const answer = await register(lost, { username: "ann", email: "ann@example.com" });
    expect(answer).toMatchObject(NOT_SENT);
    expect(await everything(lost)).toEqual({ users: 0, identities: 0, mailTokens: 0, events: 0 });
  });

  it("is not sent for a name or an address that is taken", async () => {
    await register(server, { username: "taken", email: "taken@example.com" });
    const again = await Promise.all([
      register(server, { username: "TAKEN", email: "other@example.com" }),
      register(server, { username: "other", email: "Taken@example.com" }),
    ]);
    expect(again.map(({ status, body }) => [status, body.code])).toEqual([
      [409, "auth/username-already-in-use"],
      [409, "auth/email-already-in-use"],
    ]);
    expect(smtp.mailsTo("taken@example.com")).toHaveLength(1);
    expect(smtp.mailsTo("other@example.com")).toEqual([]);
  });

  it("goes to the owner of an address that someone else registered with and never used", async () => {
    const email = "owner@example.com";
    const { body } = await register(server, { username: "mallory", email });
    const owner = { username: "owner", email };
    const later = (hours: number) => ({ createdAt: new Date(Date.now() - hours * 3_600_000) });
    const age = (hours: number) =>
      server.database.users.updateOne({ usernameKey: "mallory" }, { $set: later(hours) });
    await age(23);
    expect(await register(server, owner)).toMatchObject({
      status: 409,
      body: { code: "auth/email-already-in-use" },
    });
    await age(25);
    expect(await register(server, owner)).toMatchObject({ status: 201 });
    expect((await server.call("/me", { token: body.token })).status).toBe(401);
    expect(await server.database.users.exists({ usernameKey: "mallory" })).toBeNull();
    expect(smtp.mailsTo(email)).toHaveLength(2);
  });

  it("lets the owner of an address delete the account that someone else registered with it", async () => {
    const email = "victim@example.com";
    const { body } = await register(server, { username: "stranger", email });
    const [mail] = smtp.mailsTo(email);
    expect(mail?.text).toContain('The account "stranger" was registered with your email address');
    expect(mail?.text).toContain(`delete this account:\n${mail?.link}&decline`);
    const decline = () => server.call("/decline-registration", { json: { token: mail?.token } });
    expect((await decline()).status).toBe(200);
    expect((await server.call("/me", { token: body.token })).status).toBe(401);
    const json = { username: "stranger", password: TEST_PASSWORD };
    expect((await server.call("/login", { json })).status).toBe(401);
    const verify = await server.call("/verify-email", { json: { token: mail?.token } });
    expect(verify.status).toBe(422);
    expect(await register(server, { username: "victim", email })).toMatchObject({ status: 201 });
    expect((await decline()).status).toBe(422);
    expect(await server.database.users.countDocuments({ emailKey: email })).toBe(1);
  });

  it.each([{ emailVerified: true }, { lastEventSeq: 1 }])(
    "deletes no account with %o",
    async (state) => {
      const username = `busy-${Object.keys(state).join()}`;
      const email = `${username}@example.com`;
      await register(server, { username, email });
      await server.database.users.updateOne({ emailKey: email.toLowerCase() }, { $set: state });
      const [mail] = smtp.mailsTo(email);
      const answer = await server.call("/decline-registration", { json: { token: mail?.token } });
      expect(answer.status).toBe(422);
      expect((await answer.json()).detail).toContain("Choose a new password");
      expect(await server.database.users.exists({ emailKey: email.toLowerCase() })).not.toBeNull();
    },
  );

  it.each([
    ["verified", { emailVerified: true }],
    ["used", { lastEventSeq: 1 }],
    ["an administrator's", { role: "admin" }],
  ] as const)("is not sent for an address whose old account is %s", async (_, state) => {
    const { email } = await createUser(server.database, { createdAt: new Date(0), ...state });
    expect(await register(server, { username: "late", email })).toMatchObject({ status: 409 });
    expect(smtp.mailsTo(email)).toEqual([]);
  });

  it("is sent once, however many register one address at once on two servers", async () => {
    const { name: databaseName, host, port } = server.database.connection;
    const second = await startTestServer({
      databaseUri: `mongodb://${host}:${port}/${databaseName}?directConnection=true`,
      environment: { SMTP_URL: smtp.url, RATE_LIMIT: "off" },
    });
    onTestFinished(second.stop);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        register(index % 2 === 0 ? server : second, {
          username: `group-${index}`,
          email: "group@example.com",
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    expect(smtp.mailsTo("group@example.com")).toHaveLength(1);
  });

  it("does not delay users who register another address", async () => {
    const now = new Date();
    const until = new Date(now.getTime() + 60_000);
    await server.database.registrationLocks.create({
      _id: "held@example.com",
      holder: "crashed",
      until,
    });
    const free = await register(server, { username: "free", email: "free@example.com" });
    expect(free.status).toBe(201);
  });

  it("goes out although another server crashed while it registered the same address", async () => {
    const until = new Date(Date.now() - 1_000);
    await server.database.registrationLocks.create({
      _id: "left@example.com",
      holder: "crashed",
      until,
    });
    const answer = await register(server, { username: "left", email: "Left@example.com" });
    expect(answer.status).toBe(201);
    await server.deps.background.settled();
    expect(await server.database.registrationLocks.findById("left@example.com")).toBeNull();
  });

  it("shows neither its link nor the mail server's password in the log", async () => {
    const guarded = await startFakeSmtp({ login: { user: "mailer", pass: "smtp-secret" } });
    const strict = await startTestServer({
      databaseUri: testDatabaseUri(),
      environment: { SMTP_URL: guarded.url },
    });
    onTestFinished(async () => {
      await strict.stop();
      await guarded.close();
    });
    await register(strict, { username: "ann", email: "ann@example.com" });
    guarded.behave("refuse-mail");
    await register(strict, { username: "bea", email: "bea@example.com" });
    const log = strict.logLines.join();
    expect(log).toContain("mailbox unavailable");
    for (const secret of [guarded.mails[0]?.token ?? "", "smtp-secret", "token=", TEST_PASSWORD]) {
      expect(log).not.toContain(secret);
    }
  });
});

describe("without a mail server", () => {
  const startWithOutbox = async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "register-"));
    const server = await startTestServer({
      databaseUri: testDatabaseUri(),
      environment: { DATA_DIR: dataDir },
    });
    onTestFinished(async () => {
      await server.stop();
      await rm(dataDir, { recursive: true });
    });
    return { server, outbox: join(dataDir, "outbox") };
  };
  const ann = { username: "ann", email: "ann@example.com" };

  it("the mail is written to the outbox and its link, which works, is logged", async () => {
    const { server, outbox } = await startWithOutbox();
    expect((await register(server, ann)).status).toBe(201);
    const [file = "", ...others] = await readdir(outbox);
    expect(others).toEqual([]);
    const { link, token } = await readMail(await readFile(join(outbox, file), "utf8"), []);
    expect(link).toBe(`http://localhost:5173/verify-email?token=${token}`);
    expect(server.logLines.filter((line) => line.includes(link))).toHaveLength(1);
    expect((await server.call("/verify-email", { json: { token } })).status).toBe(200);
  });

  it("no account is left where the outbox cannot be written, and the same works later", async () => {
    const { server, outbox } = await startWithOutbox();
    await writeFile(outbox, "a file where the folder should be");
    expect(await register(server, ann)).toMatchObject(NOT_SENT);
    expect(await everything(server)).toEqual({ users: 0, identities: 0, mailTokens: 0, events: 0 });
    await rm(outbox);
    expect((await register(server, ann)).status).toBe(201);
  });
});
