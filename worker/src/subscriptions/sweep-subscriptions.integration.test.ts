import { DAY_MS, HOUR_MS } from "@shared/contract/constants.ts";
import { eventSchemas } from "@shared/contract/events/event-data.ts";
import { addMonthsUtc, type PlanId, planById } from "@shared/contract/plans.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { SEND_EMAIL } from "@shared/domain/email-work.ts";
import { newSubscription } from "@shared/domain/subscription-schedule.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { createUser } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { addStandingItems } from "@shared/work/work-handler.ts";
import { WorkQueue } from "@shared/work/work-queue.ts";
import { Types } from "mongoose";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createWorkerMetrics } from "../worker-metrics.ts";
import { sweepDue, sweepingSubscriptions, sweepSubscriptions } from "./sweep-subscriptions.ts";

const STARTED_AT = new Date("2026-01-31T12:00:00Z");

describe("the sweep of subscriptions", () => {
  let database: Database;
  let elsewhere: Database;
  let now = STARTED_AT;
  const logger = createLogger({ service: "test", level: "silent" });
  const { signal } = new AbortController();

  beforeAll(async () => {
    const uri = testDatabaseUri();
    database = await openDatabase({ uri });
    elsewhere = await openDatabase({ uri });
  });
  beforeEach(async () => {
    now = STARTED_AT;
    await Promise.all([database.users.deleteMany(), database.jobs.deleteMany()]);
  });
  afterAll(() => Promise.all([database.close(), elsewhere.close()]));

  const depsOf = (on: Database) => ({
    database: on,
    logger,
    now: () => now,
    abort: signal,
    metrics: createWorkerMetrics(),
  });
  const sweep = (on = database) => sweepSubscriptions(depsOf(on), now);
  const sweepAt = (time: Date | string) => {
    now = new Date(time);
    return sweep();
  };

  it.each([-10, 10])("is neither early nor late on a worker %d minutes off", async (minutes) => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + minutes * 60_000 });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const at = database.now().getTime();
    const endingAt = async (offMs: number) => {
      const endsAt = new Date(at + offMs);
      const startedAt = new Date(addMonthsUtc(endsAt, -1));
      const subscription = newSubscription(startedAt, { plan: "trader", months: 1, graceDays: 0 });
      const ending = { ...subscription, endsAt, accessEndsAt: endsAt, nextDueAt: endsAt };
      return createUser(database, { approved: true, subscription: ending });
    };
    const [over, current] = [await endingAt(-5 * 60_000), await endingAt(5 * 60_000)];
    await sweepDue({ ...depsOf(database), now: database.now });
    expect((await stored(over))?.approved).toBe(false);
    expect((await stored(current))?.approved).toBe(true);
    expect(await emailsOf(current)).toEqual([]);
  });

  /** A user whose subscription starts at `STARTED_AT` and is not swept yet. */
  async function subscribe(months = 1, plan: PlanId = "trader"): Promise<UserRecord> {
    const subscription = newSubscription(STARTED_AT, { plan, months, graceDays: 3 });
    const user = await createUser(database, { approved: true, subscription });
    await database.billingPeriods.insertOne({
      _id: new Types.ObjectId(),
      userId: user._id,
      plan,
      months,
      monthlyUsd: planById(plan).monthlyUsd,
      imageCredits: planById(plan).imageCredits,
      by: "root",
      subscribedAt: STARTED_AT,
      firstMonth: 0,
      createdAt: STARTED_AT,
      startedAt: STARTED_AT,
      endsAt: subscription.endsAt,
    });
    return user;
  }
  const stored = ({ _id }: UserRecord) => database.users.findById(_id).lean();
  const creditsOf = ({ _id: userId }: UserRecord) =>
    database.creditEntries.find({ userId }).sort({ period: 1 }).lean();
  const emailsOf = async ({ _id: userId }: UserRecord) => {
    const ofUser = { name: SEND_EMAIL, "data.userId": userId.toString() };
    const emails = await database.jobs.find(ofUser).sort({ _id: 1 }).lean();
    return emails.map(({ data }) => data.kind);
  };
  /** Reasons of account changes, and days left of reminders, in order. */
  const eventsOf = async ({ _id }: UserRecord) => {
    const events = await database.events
      .find({ stream: userStream(_id) })
      .sort({ seq: 1 })
      .lean();
    return events.map(({ name, data }) =>
      name === "subscription:expiring"
        ? eventSchemas[name].parse(data).days_left
        : eventSchemas["account:updated"].parse(data).reason,
    );
  };

  it("takes each step once, with its event and email, and takes the approval at the end", async () => {
    const user = await subscribe(2);
    const endsAt = addMonthsUtc(STARTED_AT, 2).getTime();
    const isApproved = async () => (await stored(user))?.approved;
    const dueTimes = [addMonthsUtc(STARTED_AT, 1).getTime()];
    for (const daysLeft of [7, 3, 1, 0, -3]) dueTimes.push(endsAt - daysLeft * DAY_MS);
    await sweep();
    for (const time of dueTimes) {
      const before = await eventsOf(user);
      await sweepAt(new Date(time - 1));
      expect(await eventsOf(user)).toEqual(before);
      expect(await isApproved()).toBe(true);
      await sweepAt(new Date(time));
      await sweep();
    }
    expect(await isApproved()).toBe(false);
    expect(await eventsOf(user)).toEqual([
      "credits-granted",
      "credits-granted",
      7,
      3,
      1,
      "subscription-grace",
      "subscription-ended",
    ]);
    expect(await emailsOf(user)).toEqual([
      "subscription-expiring",
      "subscription-expiring",
      "subscription-expiring",
      "subscription-grace",
      "subscription-ended",
    ]);
    expect(await creditsOf(user)).toMatchObject([
      { amount: 120, by: "system", period: STARTED_AT, why: "Trader plan, month from 2026-01-31." },
      { amount: 120, balance: 240, period: new Date("2026-02-28T12:00:00Z") },
    ]);
    expect(await stored(user)).toMatchObject({ imageCredits: 240, approved: false });
  });

  it("grants every month after downtime, but sends only what is still of use", async () => {
    const user = await subscribe(2);
    await sweepAt("2026-03-29T00:00:00Z");
    expect(await eventsOf(user)).toEqual(["credits-granted", "credits-granted", 3]);
    await sweepAt("2026-05-12T00:00:00Z");
    expect((await eventsOf(user)).slice(3)).toEqual(["subscription-ended"]);
    expect(await emailsOf(user)).toEqual(["subscription-expiring", "subscription-ended"]);
  });

  it("grants the credits of the plan that was paid for each month", async () => {
    const user = await subscribe(1, "starter");
    const { _id: userId } = user;
    await database.billingPeriods.insertOne({
      _id: new Types.ObjectId(),
      userId,
      plan: "pro",
      months: 1,
      monthlyUsd: 150,
      imageCredits: 200,
      by: "root",
      subscribedAt: STARTED_AT,
      firstMonth: 1,
      createdAt: STARTED_AT,
      startedAt: STARTED_AT,
      endsAt: STARTED_AT,
    });
    const subscription = newSubscription(STARTED_AT, { plan: "pro", months: 2, graceDays: 3 });
    await database.users.updateOne({ _id: userId }, { $set: { subscription } });
    await sweepAt("2026-03-01T00:00:00Z");
    expect((await creditsOf(user)).map(({ amount }) => amount)).toEqual([50, 200]);
  });

  it("may run on two workers at once: everything happens once", async () => {
    const users = await Promise.all(Array.from({ length: 30 }, () => subscribe()));
    for (const time of ["2026-01-31T12:00:00Z", "2026-02-27T13:00:00Z", "2026-03-03T12:00:00Z"]) {
      now = new Date(time);
      await Promise.all([sweep(), sweep(elsewhere)]);
      await sweep();
    }
    for (const user of users) {
      expect(await eventsOf(user)).toEqual(["credits-granted", 1, "subscription-ended"]);
      expect(await emailsOf(user)).toEqual(["subscription-expiring", "subscription-ended"]);
      expect(await creditsOf(user)).toHaveLength(1);
    }
  });

  /** A worker dies at a step of the sweep, and another sweeps again. @returns whether it died */
  async function dieAndRepeat(lastStep: number): Promise<boolean> {
    const user = await subscribe(2);
    await sweepAt("2026-01-31T12:00:00Z");
    now = new Date("2026-03-28T13:00:00Z");
    const failing = failAfter(database, lastStep);
    await sweep(failing.database).catch(() => undefined);
    const left = await stored(user);
    const [events, emails, credits] =
      left?.subscription?.creditedMonths === 2 ? [3, 1, 240] : [1, 0, 120];
    expect(await eventsOf(user)).toHaveLength(events);
    expect(await emailsOf(user)).toHaveLength(emails);
    expect(left?.imageCredits).toBe(credits);
    await sweep();
    expect(await eventsOf(user)).toEqual(["credits-granted", "credits-granted", 3]);
    expect(await emailsOf(user)).toEqual(["subscription-expiring"]);
    await database.users.deleteOne({ _id: user._id });
    return failing.hasFailed();
  }

  it("leaves nothing half done wherever a worker dies, and repeats it", async () => {
    let deaths = 0;
    while (await dieAndRepeat(deaths + 1)) deaths += 1;
    expect(deaths).toBeGreaterThan(8);
  });

  it("ends a subscription that runs out before the next run of the job at its time", async () => {
    const user = await subscribe();
    const endsAt = new Date(database.now().getTime() + 1_500);
    const late = {
      status: "grace",
      creditedMonths: 1,
      remindedDays: 1,
      endsAt: STARTED_AT,
      accessEndsAt: endsAt,
      nextDueAt: endsAt,
    };
    const fields = Object.entries(late).map(([name, value]) => [`subscription.${name}`, value]);
    await database.users.updateOne({ _id: user._id }, { $set: Object.fromEntries(fields) });
    const handlers = [sweepingSubscriptions({ ...depsOf(database), now: database.now })];
    await addStandingItems(database, handlers);
    const queue = new WorkQueue({ database, logger, workerId: "one", handlers });
    queue.start();
    const isEnded = async () => expect(await eventsOf(user)).toEqual(["subscription-ended"]);
    await vi.waitFor(isEnded, { timeout: 15_000, interval: 20 });
    await queue.stop({ drainMs: 5_000 });
    const ended = await database.events.findOne({ stream: userStream(user._id) }).lean();
    const lateMs = (ended?.at.getTime() ?? 0) - endsAt.getTime();
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(lateMs).toBeLessThan(1_000);
  });

  it("finds the due users with an index", async () => {
    const due = { "subscription.nextDueAt": { $lte: now } };
    const query = database.users.find(due).sort({ "subscription.nextDueAt": 1 });
    expect(JSON.stringify(await query.explain("queryPlanner"))).toContain(
      '"indexName":"subscription.nextDueAt_1"',
    );
  });

  it("counts what it does, and how late it was", async () => {
    await subscribe();
    now = new Date(STARTED_AT.getTime() + HOUR_MS);
    const deps = depsOf(database);
    await sweepSubscriptions(deps, now);
    const text = await deps.metrics.registry.metrics();
    expect(text).toMatch(/subscription_steps_total\{.*kind="credits".*\} 1/);
    expect(text).toMatch(/subscription_sweep_lag_seconds(\{.*\})? 3600/);
  });
});

/** The database of a worker that dies at its `lastStep`-th use of a collection. */
function failAfter(database: Database, lastStep: number) {
  let steps = 0;
  const failing = new Proxy(database, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value === "function" && "collection" in value) {
        steps += 1;
        if (steps >= lastStep) throw new Error("the worker dies here");
      }
      return value;
    },
  });
  return { database: failing, hasFailed: () => steps >= lastStep };
}
