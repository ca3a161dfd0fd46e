import { meSchema } from "@shared/contract/account.ts";
import { DAY_MS, HOUR_MS } from "@shared/contract/constants.ts";
import { eventSchemas } from "@shared/contract/events/event-data.ts";
import { PLANS, type PlanId, planById } from "@shared/contract/plans.ts";
import type { Subscription } from "@shared/contract/subscription.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { hasAccess } from "@shared/domain/access.ts";
import { SEND_EMAIL } from "@shared/domain/email-work.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { createUser, newSession, signTokenFor } from "@shared/testing/factories.ts";
import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AuthenticatedSession } from "../../server/src/http/sessions.ts";
import {
  approveUser,
  renewSubscription,
  revokeUser,
} from "../../server/src/modules/subscriptions/manage-subscriptions.ts";
import { deleteUser } from "../../server/src/modules/users/delete-user.ts";
import { sessionOf } from "../../server/src/testing/session-of.ts";
import { startTestServer, type TestServer } from "../../server/src/testing/start-test-server.ts";
import { sweepSubscriptions } from "../../worker/src/subscriptions/sweep-subscriptions.ts";
import { createWorkerMetrics } from "../../worker/src/worker-metrics.ts";
import { ReplicaSet } from "./harness/processes.ts";
import { until } from "./harness/until.ts";

const SUBSCRIPTIONS = 500;
const YEAR_TIMEOUT_MS = 1_200_000;

describe(`a year of ${SUBSCRIPTIONS} subscriptions`, () => {
  let year: SimulatedYear;
  beforeAll(async () => {
    year = await SimulatedYear.start(SUBSCRIPTIONS);
  }, YEAR_TIMEOUT_MS);
  afterAll(() => year.stop());

  it(
    "has everything once, in order and on time, whatever happens to clock and workers",
    async () => {
      await year.run();
      const counts = new Map<string, number>();
      for (const { user, model } of year.everybody) {
        const { balance, events, emails, credits, payments } = model;
        expect(await year.readStored(user)).toEqual({ balance, events, emails, credits, payments });
        for (const event of events) counts.set(event, (counts.get(event) ?? 0) + 1);
      }
      console.log({ deaths: year.deaths, ...Object.fromEntries(counts) });
    },
    YEAR_TIMEOUT_MS,
  );
});

const STARTED_AT = Date.parse("2027-12-29T00:00:00Z");
const ENDED_AT = STARTED_AT + 366 * DAY_MS;
const MAX_DOWNTIME_MS = 45 * DAY_MS;
const DEATHS_IN_TURN = 4;
const PATIENCE_MS = 240_000;
/** Everything that a worker sends, except that the driver aborts a transaction. */
const WORKER_COMMANDS = ["find", "insert", "update", "findAndModify", "commitTransaction"];

interface Simulated {
  user: UserRecord;
  model: SubscriptionModel;
}

/** What an administrator does, through one of the servers. */
type Act = (on: TestServer["deps"]) => Promise<unknown>;

interface Parts {
  mongo: ReplicaSet;
  /** Workers use their databases as well. */
  servers: [TestServer, TestServer];
  doomed: Database;
  admin: AuthenticatedSession;
}

/** A year of subscriptions on the real database. Each user has a model, which goes through the same. */
class SimulatedYear {
  everybody: Simulated[] = [];
  /** Of workers in a sweep. */
  deaths = 0;
  readonly #deletedIds: UserRecord["_id"][] = [];
  readonly #parts: Parts;
  readonly #clock: { now: number };
  readonly #generator = xoroshiro128plus(20_27);
  #downUntil = 0;
  #deathStep = 0;

  private constructor(parts: Parts, clock: { now: number }) {
    this.#parts = parts;
    this.#clock = clock;
  }

  static async start(count: number): Promise<SimulatedYear> {
    const clock = { now: STARTED_AT };
    const mongo = await ReplicaSet.launch(1);
    const overrides = { now: () => new Date(clock.now) };
    const startServer = () => startTestServer({ databaseUri: mongo.uri("server"), overrides });
    const servers: Parts["servers"] = [await startServer(), await startServer()];
    const { database } = servers[0];
    const doomed = await openDatabase({ uri: mongo.uri("doomed") });
    const admin = sessionOf(await createUser(database, { role: "admin" }));
    const year = new SimulatedYear({ mongo, servers, doomed, admin }, clock);
    const users = Array.from({ length: count }, () => createUser(database));
    const created = await Promise.all(users);
    year.everybody = created.map((user) => ({ user, model: new SubscriptionModel() }));
    return year;
  }

  async stop(): Promise<void> {
    const { servers, doomed, mongo } = this.#parts;
    await Promise.all([...servers.map((server) => server.stop()), doomed.close()]);
    await mongo.remove();
  }

  async run(): Promise<void> {
    while (this.#clock.now < ENDED_AT) await this.#advance();
    await this.#sweepTwice();
    expect(await this.#countDue()).toBe(0);
    const userId = { $in: this.#deletedIds };
    const { jobs, creditEntries, billingPeriods } = this.#parts.servers[0].database;
    const emails = { "data.userId": { $in: this.#deletedIds.map(String) } };
    expect(await jobs.countDocuments(emails)).toBe(0);
    expect(await creditEntries.countDocuments({ userId })).toBe(0);
    expect(await billingPeriods.countDocuments({ userId })).toBe(0);
  }

  async #advance(): Promise<void> {
    this.#moveClock();
    await this.#checkAccess();
    const isDown = this.#clock.now < this.#downUntil;
    const dies = !isDown && this.#chance(0.25);
    if (dies) await this.#dieInTurn();
    const isSwept = !isDown && (!dies || this.#chance(0.5));
    const sweeping = isSwept ? this.#sweepTwice() : undefined;
    const acts = this.everybody.flatMap((one) => this.#chooseAct(one) ?? []);
    const performing = acts.map((act) => perform(act, this.#pick(this.#parts.servers)));
    await Promise.all([sweeping, ...performing]);
    if (isSwept) expect(await this.#countDue()).toBe(0);
    await this.#checkAccess();
  }

  /** By hours, or by weeks of a suspended host; often to the very end of something. */
  #moveClock(): void {
    const { now } = this.#clock;
    const isLong = this.#chance(0.02);
    const stepMs = isLong ? this.#random() * MAX_DOWNTIME_MS : (2 + this.#random() * 28) * HOUR_MS;
    const ends = this.everybody.flatMap(({ model }) => [model.endsAt, model.accessEndsAt]);
    const soon = ends.filter((end) => end > now && end <= now + stepMs);
    const target = Math.floor(now + stepMs);
    this.#clock.now = this.#chance(0.3) ? this.#pick([target, ...soon]) : target;
    if (this.#chance(0.02)) this.#downUntil = now + this.#random() * MAX_DOWNTIME_MS;
  }

  /** Two sweeps, at once or one after the other. */
  async #sweepTwice(): Promise<void> {
    for (const { model } of this.everybody) model.settle(this.#clock.now);
    const [one, other] = this.#parts.servers;
    const sweep: Act = ({ database }) => this.#sweep(database);
    if (this.#chance(0.5)) await Promise.all([perform(sweep, one), perform(sweep, other)]);
    else await perform(sweep, one).then(() => perform(sweep, other));
  }

  #sweep(database: Database): Promise<void> {
    const at = new Date(this.#clock.now);
    const logger = createLogger({ service: "test", level: "silent" });
    const { signal: abort } = new AbortController();
    const deps = { database, logger, now: () => at, abort, metrics: createWorkerMetrics() };
    return sweepSubscriptions(deps, at);
  }

  #countDue(): Promise<number> {
    const due = { $lte: new Date(this.#clock.now) };
    const { users } = this.#parts.servers[0].database;
    return users.countDocuments({ "subscription.nextDueAt": due }).readConcern("local");
  }

  /** Workers start one after the other, and each dies one step later than the one before. */
  async #dieInTurn(): Promise<void> {
    for (let turn = 0; turn < DEATHS_IN_TURN; turn += 1) {
      await this.#die();
      const isDead = (await this.#countDue()) > 0;
      this.deaths += isDead ? 1 : 0;
      this.#deathStep = isDead ? this.#deathStep + 1 : 0;
    }
    const { users } = this.#parts.servers[0].database;
    // What a transaction wrote whose reply was lost may not be visible to others yet.
    const found = await users.find().select({ lastEventSeq: 1 }).readConcern("local").lean();
    const seqOf = new Map(found.map(({ _id, lastEventSeq }) => [_id.toString(), lastEventSeq]));
    for (const { user, model } of this.everybody) {
      // All that was due of a user was done, or nothing.
      const isSettled = seqOf.get(user._id.toString()) !== model.events.length;
      if (isSettled) model.settle(this.#clock.now);
    }
  }

  /** From some step on, no command of a worker is done, or no reply to a commit arrives. */
  async #die(): Promise<void> {
    const { mongo, doomed } = this.#parts;
    const primary = await mongo.primary();
    const configureFailPoint = "failCommand";
    const failure = this.#chance(0.2)
      ? { failCommands: ["commitTransaction"], writeConcernError: { code: 64, errmsg: "lost" } }
      : { failCommands: WORKER_COMMANDS, errorCode: 8 };
    const mode = "errorCode" in failure ? { skip: this.#deathStep } : "alwaysOn";
    const data = { ...failure, appName: "doomed" };
    await primary.command({ configureFailPoint, mode, data });
    await this.#sweep(doomed).catch(() => undefined);
    await primary.command({ configureFailPoint, mode: "off" });
  }

  #chooseAct(one: Simulated): Act | undefined {
    const { now } = this.#clock;
    const { model } = one;
    const isNew = model.events.length === 0;
    const isEnding = model.isRunning(now) && now > model.endsAt - 8 * DAY_MS;
    const acts: [share: number, choose: () => Act][] = [
      [isNew ? 0.05 : 0.004, () => this.#approve(one)],
      [isEnding ? 0.12 : 0.006, () => this.#renew(one)],
      [0.002, () => this.#revoke(one)],
      [0.0003, () => this.#delete(one)],
    ];
    return acts.find(([share]) => this.#chance(share))?.[1]();
  }

  #order() {
    const months = this.#pick([1, 1, 1, 2, 3, 6]);
    return { plan: this.#pick(PLANS).id, months };
  }

  #approve(one: Simulated): Act {
    const { plan, months } = this.#order();
    const order = this.#chance(0.9) ? { plan, months } : {};
    const isAccepted = one.model.approve(this.#clock.now, { months, ...order });
    return async (on) => {
      const approving = approveUser(on, this.#parts.admin, one.user.username, order);
      if (isAccepted) return approving;
      return expect(approving).rejects.toMatchObject({ code: "subscription-running" });
    };
  }

  /** Two administrators click at the same time. */
  #renew(one: Simulated): Act {
    const order = this.#order();
    const { username } = one.user;
    const shownEnd = one.model.subscription(this.#clock.now)?.ends_at;
    const idempotencyKey = String(this.#random());
    const once = shownEnd && this.#chance(0.5) ? { ends_at: shownEnd } : { idempotencyKey };
    one.model.renew(this.#clock.now, order);
    const click = ({ deps }: TestServer) =>
      renewSubscription(deps, this.#parts.admin, username, { ...order, ...once });
    return () => Promise.all(this.#parts.servers.map(click));
  }

  #revoke(one: Simulated): Act {
    one.model.revoke(this.#clock.now);
    return (on) => revokeUser(on, this.#parts.admin, one.user.username);
  }

  #delete(one: Simulated): Act {
    const { admin } = this.#parts;
    this.everybody = this.everybody.filter((other) => other !== one);
    this.#deletedIds.push(one.user._id);
    return (on) => deleteUser(on, admin, one.user.username).catch(ignoreCode("not-found"));
  }

  /** Compares the access of all users, now and at its end, and what `GET /me` says to one of them. */
  async #checkAccess(): Promise<void> {
    const { now } = this.#clock;
    const { users } = this.#parts.servers[0].database;
    const stored = await users.find().select({ approved: 1, subscription: 1 }).lean();
    const byId = new Map(stored.map((user) => [user._id.toString(), user]));
    for (const { user, model } of this.everybody) {
      const found = byId.get(user._id.toString());
      const end = Math.max(now, model.accessEndsAt || now);
      for (const at of [now, Math.max(now, end - 1), end]) {
        if (found && hasAccess(found, new Date(at)) === model.hasAccess(at)) continue;
        throw new Error(`wrong access of ${user.username} at ${at}: ${JSON.stringify(found)}`);
      }
    }
    await this.#checkMe(this.#pick(this.everybody));
  }

  async #checkMe({ user, model }: Simulated): Promise<void> {
    const at = new Date(this.#clock.now);
    const { database, deps, call } = this.#parts.servers[0];
    const sessions = [newSession({ createdAt: at, lastSeenAt: at })];
    await database.users.updateOne({ _id: user._id }, { $set: { sessions } });
    const answer = await call("/me", { token: signTokenFor({ ...user, sessions }, deps.settings) });
    const { approved, subscription } = meSchema.parse(await answer.json());
    expect({ approved, subscription }).toEqual({
      approved: model.hasAccess(at.getTime()),
      subscription: model.subscription(at.getTime()),
    });
  }

  /** What is stored of a user, in the form of the model. */
  async readStored({ _id: userId }: UserRecord) {
    const { database } = this.#parts.servers[0];
    const [user, events, emails, credits, payments] = await Promise.all([
      database.users.findById(userId).orFail().lean(),
      database.events
        .find({ stream: userStream(userId) })
        .sort({ seq: 1 })
        .lean(),
      database.jobs
        .find({ name: SEND_EMAIL, "data.userId": userId.toString() })
        .sort({ _id: 1 })
        .lean(),
      database.creditEntries.find({ userId }).sort({ period: 1 }).lean(),
      database.billingPeriods.find({ userId }).sort({ _id: 1 }).lean(),
    ]);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    return {
      balance: user.imageCredits,
      events: events.map(({ name, data }) =>
        name === "subscription:expiring"
          ? `expiring in ${eventSchemas[name].parse(data).days_left}`
          : eventSchemas["account:updated"].parse(data).reason,
      ),
      emails: emails.map(({ data }) => data.kind),
      credits: credits.map(({ amount, period }) => `${amount} for ${period?.toISOString()}`),
      payments: payments.map(({ plan, months, startedAt, endsAt, revokedAt }) => ({
        plan,
        months,
        from: startedAt.toISOString(),
        to: endsAt.toISOString(),
        ...(revokedAt && { revoked: revokedAt.toISOString() }),
      })),
    };
  }

  #random = (): number => uniformFloat64(this.#generator);

  #chance = (share: number): boolean => this.#random() < share;

  #pick<One>(from: readonly One[]): One {
    const picked = from[Math.floor(this.#random() * from.length)];
    if (picked === undefined) throw new Error("nothing to pick from");
    return picked;
  }
}

/** Repeats what a busy database has refused, as an administrator or the next run of a job would. */
async function perform(act: Act, { deps }: TestServer): Promise<void> {
  const isDone = () => act(deps).then(() => true, ignoreCode("unavailable"));
  await until(isDone, { what: "an answer", withinMs: PATIENCE_MS });
}

/** For `catch`: an error with this code is none. */
const ignoreCode = (code: string) => (error: unknown) => {
  if (!(error instanceof AppError) || error.code !== code) throw error;
};

const GRACE_MS = 3 * DAY_MS;
/** Newest first. */
const REMINDER_DAYS = [1, 3, 7];

interface Run {
  startedAt: number;
  /** Of each paid month. */
  plans: PlanId[];
  /** Months with credits. */
  credited: number;
  /** Up to then, everything has been done. */
  doneUntil: number;
  revokedAt?: number;
}

/** What must be stored of one user: written from the contract, to compare with what the product does. */
class SubscriptionModel {
  /** Reasons of account changes and reminders, in order. */
  readonly events: string[] = [];
  readonly emails: string[] = [];
  readonly credits: string[] = [];
  readonly payments: {
    plan: PlanId;
    months: number;
    from: string;
    to: string;
    revoked?: string;
  }[] = [];
  balance = 0;
  #run: Run | undefined;
  #isApprovedWithoutEnd = false;

  get plan(): PlanId | undefined {
    return this.#run?.plans.at(-1);
  }

  get endsAt(): number {
    return this.#run ? monthAfter(this.#run.startedAt, this.#run.plans.length) : Number.NaN;
  }

  get accessEndsAt(): number {
    return this.#run?.revokedAt ?? this.endsAt + GRACE_MS;
  }

  isRunning = (at: number): boolean => at < this.accessEndsAt;

  hasAccess = (at: number): boolean => this.#isApprovedWithoutEnd || this.isRunning(at);

  /** As `GET /me` must show it. */
  subscription(at: number): Subscription | null {
    if (!this.#run || !this.plan) return null;
    const endsAt = Math.min(this.endsAt, this.#run.revokedAt ?? Number.POSITIVE_INFINITY);
    const running = at < endsAt ? "active" : "grace";
    const status = this.isRunning(at) ? running : "ended";
    return {
      plan: this.plan,
      status,
      started_at: text(this.#run.startedAt),
      ends_at: text(endsAt),
      grace_until: status === "grace" ? text(this.accessEndsAt) : null,
    };
  }

  /** A sweep. */
  settle(at: number): void {
    const run = this.#run;
    if (!run || run.revokedAt || run.doneUntil >= this.accessEndsAt) return;
    const due: { at: number; event: string; email?: string }[] = [];
    while (run.credited < run.plans.length && monthAfter(run.startedAt, run.credited) <= at) {
      due.push({ at: this.#grantMonth(run), event: "credits-granted" });
    }
    const isNew = (time: number) => run.doneUntil < time && time <= at;
    const missed = REMINDER_DAYS.map((days) => this.endsAt - days * DAY_MS).find(isNew);
    if (missed && at < this.endsAt) {
      const event = `expiring in ${Math.ceil((this.endsAt - at) / DAY_MS)}`;
      due.push({ at: missed, event, email: "subscription-expiring" });
    }
    const status = at < this.accessEndsAt ? "subscription-grace" : "subscription-ended";
    const changedAt = at < this.accessEndsAt ? this.endsAt : this.accessEndsAt;
    if (isNew(changedAt)) due.push({ at: changedAt, event: status, email: status });
    run.doneUntil = at;
    due.sort((one, other) => one.at - other.at);
    for (const { event, email } of due) this.#record(event, email);
  }

  /** @returns false if it must be refused */
  approve(at: number, { plan, months }: { plan?: PlanId | undefined; months: number }): boolean {
    if (this.isRunning(at) && plan && plan !== this.plan) return false;
    this.settle(at);
    if (this.isRunning(at)) return true;
    if (plan) this.#start(at, { plan, months, event: "subscription-started" });
    else if (!this.#isApprovedWithoutEnd) {
      this.#isApprovedWithoutEnd = true;
      this.#record("approved");
    }
    return true;
  }

  renew(at: number, { plan, months }: { plan: PlanId; months: number }): void {
    this.settle(at);
    const event = this.#run ? "subscription-renewed" : "subscription-started";
    if (!this.#run || !this.isRunning(at)) return this.#start(at, { plan, months, event });
    const from = this.endsAt;
    this.#run.plans.push(...Array.from({ length: months }, () => plan));
    this.payments.push({ plan, months, from: text(from), to: text(this.endsAt) });
    this.#record(event, event);
    this.settle(at);
  }

  revoke(at: number): void {
    this.settle(at);
    if (this.hasAccess(at)) this.#record("revoked");
    if (this.#run && this.isRunning(at)) {
      for (const payment of this.payments) {
        if (payment.to > text(at)) payment.revoked ??= text(at);
      }
      this.#run.revokedAt = at;
    }
    this.#isApprovedWithoutEnd = false;
  }

  #start(at: number, payment: { plan: PlanId; months: number; event: string }): void {
    const { plan, months, event } = payment;
    const plans = Array.from({ length: months }, () => plan);
    this.#run = { startedAt: at, plans, credited: 0, doneUntil: at };
    this.#isApprovedWithoutEnd = false;
    this.payments.push({ plan, months, from: text(at), to: text(this.endsAt) });
    this.#record(event, event);
    this.settle(at);
  }

  #grantMonth(run: Run): number {
    const startsAt = monthAfter(run.startedAt, run.credited);
    const { imageCredits } = planById(run.plans[run.credited] ?? null);
    this.credits.push(`${imageCredits} for ${text(startsAt)}`);
    this.balance += imageCredits;
    run.credited += 1;
    return startsAt;
  }

  #record(event: string, email?: string): void {
    this.events.push(event);
    if (email) this.emails.push(email);
  }
}

const text = (time: number): string => new Date(time).toISOString();

/** The same day and time `months` months later, or the last day of a shorter month. */
function monthAfter(time: number, months: number): number {
  const start = new Date(time);
  const year = start.getUTCFullYear();
  const month = start.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const day = Math.min(start.getUTCDate(), lastDay);
  return Date.UTC(year, month, day) + (time % DAY_MS);
}
