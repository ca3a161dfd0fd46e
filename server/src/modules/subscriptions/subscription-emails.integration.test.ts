import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { EmailRecord } from "@shared/database/models/payment.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { createSmtpMailer } from "@shared/runtime/mailer.ts";
import { createUser } from "@shared/testing/factories.ts";
import { startFakeSmtp } from "@shared/testing/fakes/fake-smtp.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { Types } from "mongoose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";
import { sendDueEmails } from "./subscription-emails.ts";

const START = new Date("2027-01-31T12:00:00Z");
const afterStart = (minutes: number): Date => new Date(START.getTime() + minutes * 60_000);

describe("stored emails", () => {
  const databaseUri = testDatabaseUri();
  let now = START;
  let servers: TestServer[] = [];

  beforeAll(async () => {
    const options = { databaseUri, overrides: { now: () => now } };
    servers = await Promise.all([startTestServer(options), startTestServer(options)]);
  });
  afterAll(() => Promise.all(servers.map((server) => server.stop())));

  const first = (): TestServer => {
    const [server] = servers;
    if (!server) throw new Error("no server");
    return server;
  };
  async function store(overrides: Partial<EmailRecord> = {}): Promise<UserRecord> {
    const { database } = first();
    const user = await createUser(database);
    const userId = user._id;
    await database.emails.insertOne({
      _id: new Types.ObjectId(),
      userId,
      kind: "subscription-started",
      subscription: { plan: "pro", endsAt: afterStart(60), accessEndsAt: afterStart(120) },
      createdAt: START,
      dueAt: START,
      expiresAt: afterStart(60),
      ...overrides,
    });
    return user;
  }
  const left = () => first().database.emails.countDocuments();

  it("are sent once by several servers that share them", async () => {
    now = START;
    for (let count = 0; count < 12; count += 1) await store();
    await Promise.all(servers.map(({ deps }) => sendDueEmails(deps)));
    const folders = servers.map(({ deps }) => join(deps.settings.DATA_DIR, "outbox"));
    const files = await Promise.all(
      folders.map(async (folder) => {
        const names = await readdir(folder).catch(() => []);
        return Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
      }),
    );
    const recipients = files.flat().map((text) => /^To: (.+)$/m.exec(text)?.[1]?.trim());
    expect(new Set(recipients).size).toBe(12);
    expect(recipients).toHaveLength(12);
    expect(await left()).toBe(0);
  });

  it("are sent again after a failure, but not when they are of no use any more", async () => {
    now = START;
    const sent: string[] = [];
    let fails = true;
    const { deps } = first();
    const mailer = {
      ...deps.mailer,
      async send({ subject }: { subject: string }) {
        if (fails) throw new Error("no mail server");
        sent.push(subject);
      },
    };
    await store();
    await expect(sendDueEmails({ ...deps, mailer })).rejects.toThrow("no mail server");
    fails = false;
    await sendDueEmails({ ...deps, mailer });
    expect(sent).toEqual([]);
    now = afterStart(5);
    await sendDueEmails({ ...deps, mailer });
    expect(sent).toEqual(["Your AI Trading Signals subscription has started"]);

    await store({ kind: "subscription-expiring", expiresAt: afterStart(60) });
    now = afterStart(60);
    await sendDueEmails({ ...deps, mailer });
    expect(sent).toHaveLength(1);
    expect(await left()).toBe(0);
  });

  it.each([550, 450])(
    "of other users are not delayed by one that is refused with %i",
    async (code) => {
      now = START;
      const smtp = await startFakeSmtp();
      const deps = {
        ...first().deps,
        mailer: createSmtpMailer({ smtpUrl: smtp.url, from: "a@example.com" }),
      };
      const due = (minutes: number) =>
        store({ dueAt: afterStart(minutes), expiresAt: afterStart(1e4) });
      const refused = [];
      for (let count = 0; count < 10; count += 1) refused.push(await due(-20 + count));
      for (const { email } of refused) smtp.refuse(email, code);
      const others = [];
      for (let count = 0; count < 10; count += 1) others.push(await due(-5));
      await sendDueEmails(deps);
      for (const { email } of others) expect(smtp.mailsTo(email)).toHaveLength(1);
      // Less and less often, so that the mail server is not asked for nothing.
      const attemptsAt = async (minutes: number) => {
        now = afterStart(minutes);
        const before = await first()
          .database.emails.find({ dueAt: { $lte: now } })
          .lean();
        await sendDueEmails(deps);
        return before.length;
      };
      expect([await attemptsAt(3), await attemptsAt(4), await attemptsAt(11)]).toEqual([0, 10, 0]);
      expect(await left()).toBe(10);
      await first().database.emails.deleteMany({});
      await smtp.close();
    },
  );

  it("wait for a mail server that refuses the sender", async () => {
    now = START;
    const { deps } = first();
    const cause = Object.assign(new Error("no"), { code: "EENVELOPE", command: "MAIL FROM" });
    const mailer = { ...deps.mailer, send: () => Promise.reject(new Error("not sent", { cause })) };
    await store();
    await expect(sendDueEmails({ ...deps, mailer })).rejects.toThrow("not sent");
    await first().database.emails.deleteMany({});
  });
});
