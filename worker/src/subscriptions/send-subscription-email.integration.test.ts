import { type Database, openDatabase } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { SEND_EMAIL } from "@shared/domain/email-work.ts";
import type { SubscriptionEmail } from "@shared/domain/subscription-email.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { createSmtpMailer, type Mailer } from "@shared/runtime/mailer.ts";
import { createUser } from "@shared/testing/factories.ts";
import { type FakeSmtp, startFakeSmtp } from "@shared/testing/fakes/fake-smtp.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { newWorkItem } from "@shared/work/work-item.ts";
import { WorkQueue } from "@shared/work/work-queue.ts";
import { Types } from "mongoose";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { sendSubscriptionEmails } from "./send-subscription-email.ts";

const WITHIN = { timeout: 30_000, interval: 20 };
const HOUR_MS = 3_600_000;
const LOCK_MS = 2_000;

describe("emails about subscriptions", () => {
  const databaseUri = testDatabaseUri();
  const logger = createLogger({ service: "test", level: "silent" });
  const databases: Database[] = [];
  const queues: WorkQueue[] = [];
  let database: Database;
  let smtp: FakeSmtp;
  let smtpMailer: Mailer;

  beforeAll(async () => {
    for (const _ of Array(2)) databases.push(await openDatabase({ uri: databaseUri }));
    database = databases[0] ?? expect.fail("no database");
    smtp = await startFakeSmtp();
    smtpMailer = createSmtpMailer({ smtpUrl: smtp.url, from: "a@example.com" });
  });
  afterEach(async () => {
    await Promise.all(queues.splice(0).map((queue) => queue.stop({ drainMs: 5_000 })));
    await database.jobs.deleteMany();
  });
  afterAll(async () => {
    await Promise.all(databases.map((one) => one.close()));
    await smtp.close();
  });

  function startWorker(mailer: Pick<Mailer, "send"> = smtpMailer, on = database): void {
    const settings = {
      ...{ VITE_API_URL: "https://api.example.com", CLIENT_ORIGIN: [] },
      CHANNEL_SECRET: undefined,
    };
    const deps = { database: on, logger, now: on.now, mailer, settings };
    const workerId = `worker ${queues.length}`;
    const handlers = [sendSubscriptionEmails(deps)];
    const queue = new WorkQueue({ database: on, logger, workerId, lockMs: LOCK_MS, handlers });
    queues.push(queue);
    queue.start();
  }
  const fromNow = (ms: number) => new Date(database.now().getTime() + ms);
  async function add(overrides: Partial<SubscriptionEmail> = {}, dueInMs = 0) {
    const user = await createUser(database);
    const data: SubscriptionEmail = {
      userId: user._id.toString(),
      kind: "subscription-started",
      subscription: { plan: "pro", endsAt: fromNow(HOUR_MS), accessEndsAt: fromNow(HOUR_MS) },
      expiresAt: fromNow(HOUR_MS),
      ...overrides,
    };
    const item = { kind: SEND_EMAIL, id: new Types.ObjectId(), data, dueAt: fromNow(dueInMs) };
    await database.jobs.create(newWorkItem(item));
    return user;
  }
  const itemOf = ({ _id }: UserRecord) =>
    database.jobs.findOne({ name: SEND_EMAIL, "data.userId": _id.toString() }).lean();
  const isEmpty = async () =>
    expect(await database.jobs.countDocuments({ name: SEND_EMAIL })).toBe(0);

  it("are sent once by several workers that share them", async () => {
    const users: UserRecord[] = [];
    while (users.length < 12) users.push(await add());
    for (const one of databases) startWorker(smtpMailer, one);
    await vi.waitFor(isEmpty, WITHIN);
    for (const { email } of users) expect(smtp.mailsTo(email)).toHaveLength(1);
  });

  it("are not sent when they are of no use any more, or their user is gone", async () => {
    const late = await add({ kind: "subscription-expiring", expiresAt: fromNow(-1) });
    const gone = await add();
    await database.users.deleteOne({ _id: gone._id });
    startWorker();
    await vi.waitFor(isEmpty, WITHIN);
    for (const { email } of [late, gone]) expect(smtp.mailsTo(email)).toEqual([]);
  });

  it.each([550, 450])("are not delayed by others that are refused with %i", async (code) => {
    const refused: UserRecord[] = [];
    while (refused.length < 10) refused.push(await add({}, -60_000));
    for (const { email } of refused) smtp.refuse(email, code);
    const others: UserRecord[] = [];
    while (others.length < 10) others.push(await add());
    startWorker();
    await vi.waitFor(() => {
      for (const { email } of others) expect(smtp.mailsTo(email)).toHaveLength(1);
    }, WITHIN);
    // Less and less often, so that the mail server is not asked for nothing.
    for (const [failCount, minutes] of [
      [1, 4],
      [2, 8],
    ] as const) {
      await vi.waitFor(async () => {
        for (const user of refused) {
          const item = await itemOf(user);
          expect(item).toMatchObject({ failCount, lockedAt: null });
          const dueInMinutes = (Number(item?.nextRunAt) - database.now().getTime()) / 60_000;
          expect(dueInMinutes).toBeGreaterThan(minutes - 1);
          expect(dueInMinutes).toBeLessThanOrEqual(minutes);
        }
      }, WITHIN);
      await database.jobs.updateMany({ failCount }, { $set: { nextRunAt: database.now() } });
    }
  });

  it.each([
    ["cannot be reached", { code: "ECONNREFUSED" }],
    ["refuses the sender", { code: "EENVELOPE", command: "MAIL FROM" }],
  ])("wait for a mail server that %s, and count no failure", async (_, reason) => {
    const user = await add();
    const cause = Object.assign(new Error("no"), reason);
    let attempts = 0;
    startWorker({
      send() {
        attempts += 1;
        return Promise.reject(new Error("not sent", { cause }));
      },
    });
    await vi.waitFor(
      async () =>
        expect((await itemOf(user))?.failReason).toBe("The mail server could not be reached."),
      WITHIN,
    );
    const { failCount, nextRunAt } = (await itemOf(user)) ?? {};
    expect(failCount).toBe(0);
    const dueInMs = Number(nextRunAt) - database.now().getTime();
    expect(dueInMs).toBeGreaterThan(5_000);
    expect(dueInMs).toBeLessThan(20_000);
    expect(attempts).toBe(1);
  });

  it("of a worker that crashed are sent by another one", async () => {
    const user = await add();
    const crashed = { lockedAt: fromNow(-HOUR_MS), lastModifiedBy: "crashed" };
    await database.jobs.updateMany({}, { $set: crashed });
    startWorker();
    await vi.waitFor(isEmpty, WITHIN);
    expect(smtp.mailsTo(user.email)).toHaveLength(1);
  });
});
