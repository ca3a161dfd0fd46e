import { type Database, openDatabase } from "@shared/database/database.ts";
import type { MarketAnalysisRecord } from "@shared/database/models/market-analysis.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { SEND_EMAIL } from "@shared/domain/email-work.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { createSmtpMailer, type Mailer } from "@shared/runtime/mailer.ts";
import { createUser } from "@shared/testing/factories.ts";
import { type FakeSmtp, startFakeSmtp } from "@shared/testing/fakes/fake-smtp.ts";
import { createSignals, WAIT_ANALYSIS } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { WorkQueue } from "@shared/work/work-queue.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { addResultsEmails } from "./add-results-emails.ts";
import { sendSubscriptionEmails } from "./send-subscription-email.ts";

const WITHIN = { timeout: 30_000, interval: 20 };
const OCTOBER = new Date("2026-10-15T12:00:00Z");
const WIN = {
  ...{ outcome: "WIN", reason: "target", resolved_at: "2026-10-15T14:00:00.000Z" },
  ...{ filled_at: "2026-10-15T12:01:00.000Z", fill: 100 },
  ...{ exited_at: "2026-10-15T13:00:00.000Z", exit: 120, r_multiple: 1.9868 },
  ...{ max_favourable_r: 2, max_adverse_r: 0 },
  costs: { spread_percent: 0.02, commission_percent: 0.05 },
} as const;

describe("the monthly email about results", () => {
  const databaseUri = testDatabaseUri();
  const logger = createLogger({ service: "test", level: "silent" });
  const { signal: abort } = new AbortController();
  const databases: Database[] = [];
  const queues: WorkQueue[] = [];
  let database: Database;
  let smtp: FakeSmtp;
  let mailer: Mailer;
  let now: Date;

  beforeAll(async () => {
    for (const _ of Array(2)) databases.push(await openDatabase({ uri: databaseUri }));
    database = databases[0] ?? expect.fail("no database");
    smtp = await startFakeSmtp();
    mailer = createSmtpMailer({ smtpUrl: smtp.url, from: "a@example.com" });
  });
  afterEach(async () => {
    await stopWorkers();
    await Promise.all([
      ...[database.jobs.deleteMany(), database.users.deleteMany()],
      database.branding.deleteMany(),
    ]);
  });
  afterAll(async () => {
    await Promise.all(databases.map((one) => one.close()));
    await smtp.close();
  });

  const stopWorkers = () =>
    Promise.all(queues.splice(0).map((queue) => queue.stop({ drainMs: 5_000 })));

  /** Items are due by the clock of the database; what they say is as of `now`. */
  function startWorkers(): void {
    const settings = {
      VITE_API_URL: "https://api.example.com",
      CLIENT_ORIGIN: ["https://app.example.com"],
      CHANNEL_SECRET: "a secret of the channels of the test",
    };
    for (const on of databases) {
      const deps = { database: on, logger, now: () => now, mailer, settings };
      const workerId = `worker ${queues.length}`;
      const handlers = [sendSubscriptionEmails(deps)];
      const queue = new WorkQueue({ database: on, logger, workerId, lockMs: 2_000, handlers });
      queues.push(queue);
      queue.start();
    }
  }
  const addAt = async (time: string): Promise<number> => {
    now = new Date(time);
    const added = await Promise.all(
      databases.map((on) => addResultsEmails({ database: on, now: () => now, abort })),
    );
    // Otherwise they would be due in the future.
    await database.jobs.updateMany({}, { $set: { nextRunAt: database.now() } });
    return added.reduce((sum, count) => sum + count, 0);
  };
  const sendAll = async () => {
    startWorkers();
    await vi.waitFor(
      async () => expect(await database.jobs.countDocuments({ name: SEND_EMAIL })).toBe(0),
      WITHIN,
    );
    await stopWorkers();
  };
  const ON = { isOn: true, startBalance: 2_000, riskPercent: 2, lastMonth: "2026-09" };
  const subscriber = (fields: Partial<UserRecord> = {}) =>
    createUser(database, {
      ...{ approved: true, emailVerified: true, resultsEmail: ON },
      ...fields,
    });
  const addTrade = async (
    user: UserRecord,
    createdAt = OCTOBER,
    resolution: object | null = WIN,
    market: Partial<MarketAnalysisRecord> = {},
  ) => {
    const analysis = {
      ...({ ...WAIT_ANALYSIS, final_signal: "BUY", confidence: 60 } as const),
      ...{ entry: 100, stop_loss: 90, take_profit: 120 },
    };
    const [signal] = await createSignals(database, user, {
      ...{ analysis, outcome: "WIN", createdAt, finishedAt: createdAt, market },
    });
    if (resolution && signal) {
      await database.marketAnalyses.updateOne({ _id: signal.analysisId }, { $set: { resolution } });
    }
  };

  it("is sent once for a month by two workers, also late, with the user's inputs and a link to its results", async () => {
    const users = [await subscriber(), await subscriber(), await subscriber()];
    for (const user of users) await addTrade(user);
    expect(await addAt("2026-11-19T08:00:00Z")).toBe(3);
    expect(await addAt("2026-11-19T08:10:00Z")).toBe(0);
    await sendAll();
    for (const user of users) {
      const [mail, ...others] = smtp.mailsTo(user.email);
      expect(others).toEqual([]);
      const { text, headers } = mail ?? expect.fail("no email");
      expect(headers.get("subject")).toBe("If you had followed your signals of October 2026");
      expect(headers.get("list-unsubscribe")).toContain(
        "https://api.example.com/unsubscribe?token=",
      );
      for (const part of [
        "with $2,000.00 at the start and a risk of 2% per trade, would have ended with $2,079.47",
        "Trades: 1, 1 with a profit",
        "in 95 % of cases. Fewer than 30 trades are too few for a comparison. Nothing is claimed beyond it.",
        "https://app.example.com/results?since=2026-10-01T00%3A00%3A00.000Z&until=2026-11-01T00%3A00%3A00.000Z&start_balance=2000&risk_percent=2",
        "Turn this email off:\nhttps://app.example.com/unsubscribe?token=",
      ]) {
        expect(text).toContain(part);
      }
    }
    const [{ email } = expect.fail("no user")] = users;
    expect(await addAt("2026-12-01T00:00:00Z")).toBe(3);
    await sendAll();
    // There was no trade in November.
    expect(smtp.mailsTo(email)).toHaveLength(1);
  });

  it("says what funding was, and how many trades have none", async () => {
    const user = await subscriber();
    const held = { ...WIN, exited_at: "2026-10-16T12:00:00.000Z" };
    await addTrade(user, OCTOBER, held, { funding: { percent: 0.05, hours: 8 } });
    await addTrade(user, OCTOBER, held);
    await addAt("2026-11-01T00:00:00Z");
    await sendAll();
    const text = smtp.mailsTo(user.email)[0]?.text;
    expect(text).toContain("That is after trading costs and, for crypto, funding.");
    expect(text).toContain("Funding paid: $0.60");
    expect(text).toContain("Without funding, as its rate is not known: 1 of these trades.");
  });

  it("is sent by another worker if one dies with it", async () => {
    const user = await subscriber();
    await addTrade(user);
    await addAt("2026-11-01T00:00:00Z");
    const lockedAt = new Date(database.now().getTime() - 3_600_000);
    await database.jobs.updateMany({}, { $set: { lockedAt, lastModifiedBy: "crashed" } });
    await sendAll();
    expect(await addAt("2026-11-01T01:00:00Z")).toBe(0);
    expect(smtp.mailsTo(user.email)).toHaveLength(1);
  });

  it("is not sent for a month without a trade that has ended, and says what has not", async () => {
    const idle = await subscriber();
    await addTrade(idle, new Date("2026-09-30T23:59:59Z"));
    await addTrade(idle, new Date("2026-11-01T00:00:00Z"));
    await addTrade(idle, OCTOBER, null);
    const partly = await subscriber();
    await addTrade(partly);
    await addTrade(partly, OCTOBER, null);
    await addAt("2026-11-01T02:00:00Z");
    await sendAll();
    expect(smtp.mailsTo(idle.email)).toEqual([]);
    expect(smtp.mailsTo(partly.email)[0]?.text).toContain(
      "Not ended yet, and not included: 1 of your signals.",
    );
  });

  it("is for users only who want it and have access and a verified address", async () => {
    const others = [
      await subscriber({ resultsEmail: undefined }),
      await subscriber({ resultsEmail: { ...ON, isOn: false } }),
      await subscriber({ resultsEmail: { ...ON, lastMonth: "2026-10" } }),
      await subscriber({ approved: false }),
      await subscriber({ emailVerified: false }),
    ];
    for (const user of others) await addTrade(user);
    expect(await addAt("2026-11-01T00:00:00Z")).toBe(0);
    const leaving = await subscriber();
    await addTrade(leaving);
    expect(await addAt("2026-11-01T00:00:00Z")).toBe(1);
    const off = { $set: { "resultsEmail.isOn": false } };
    await database.users.updateOne({ _id: leaving._id }, off);
    await sendAll();
    for (const { email } of [...others, leaving]) expect(smtp.mailsTo(email)).toEqual([]);
  });

  it.each([
    ["America/New_York", "2026-11-01T03:59:00Z", "2026-11-01T04:00:00Z"],
    ["Asia/Tokyo", "2026-10-31T23:59:00Z", "2026-11-01T00:00:00Z"],
  ])("waits until the month is over in %s and in UTC", async (timeZone, before, after) => {
    await database.branding.updateOne(
      { _id: "branding" },
      { $set: { time_zone: timeZone } },
      { upsert: true },
    );
    await subscriber();
    expect([await addAt(before), await addAt(after)]).toEqual([0, 1]);
  });
});
