import { meSchema } from "@shared/contract/account.ts";
import { DAY_MS, HOUR_MS } from "@shared/contract/durations.ts";
import { eventSchemas } from "@shared/contract/events.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { hasAccess } from "@shared/domain/subscription-access.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { createUser, newSession, signTokenFor } from "@shared/testing/factories.ts";
import { expect } from "vitest";
import {
  approveUser,
  renewSubscription,
  revokeUser,
} from "../../../server/src/modules/subscriptions/manage-subscriptions.ts";
import { deleteUser } from "../../../server/src/modules/users/delete-user.ts";
import { startTestServer, type TestServer } from "../../../server/src/testing/start-test-server.ts";
import { sweepSubscriptions } from "../../../worker/src/jobs/sweep-subscriptions.ts";
import { createWorkerMetrics } from "../../../worker/src/worker-metrics.ts";
import { ReplicaSet } from "./replica-set.ts";
import { PLAN_IDS, SubscriptionModel } from "./subscription-model.ts";
import { until } from "./until.ts";

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
  admin: UserRecord;
}

/** A year of subscriptions on the real database. Each user has a model, which goes through the same. */
export class SimulatedYear {
  everybody: Simulated[] = [];
  /** Of workers in a sweep. */
  deaths = 0;
  readonly #deletedIds: UserRecord["_id"][] = [];
  readonly #parts: Parts;
  readonly #clock: { now: number };
  readonly #random = createRandom(20_27);
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
    const admin = await createUser(database, { role: "admin" });
    const year = new SimulatedYear({ mongo, servers, doomed, admin }, clock);
    const users = Array.from({ length: count }, () => createUser(database));
    for (const user of await Promise.all(users)) {
      year.everybody.push({ user, model: new SubscriptionModel() });
    }
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
    const { emails, creditEntries, billingPeriods } = this.#parts.servers[0].database;
    expect(await emails.countDocuments({ userId })).toBe(0);
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

  #order({ user: { username } }: Simulated) {
    const months = this.#pick([1, 1, 1, 2, 3, 6]);
    return { admin: this.#parts.admin, username, plan: this.#pick(PLAN_IDS), months };
  }

  #approve(one: Simulated): Act {
    const { plan, months, ...names } = this.#order(one);
    const order = this.#chance(0.9) ? { ...names, plan, months } : names;
    const isAccepted = one.model.approve(this.#clock.now, { months, ...order });
    return async (on) => {
      const approving = approveUser(on, order);
      if (isAccepted) return approving;
      return expect(approving).rejects.toMatchObject({ code: "subscription-running" });
    };
  }

  /** Two administrators click at the same time. */
  #renew(one: Simulated): Act {
    const order = this.#order(one);
    const shownEnd = one.model.subscription(this.#clock.now)?.ends_at;
    const idempotencyKey = String(this.#random());
    const once = shownEnd && this.#chance(0.5) ? { ends_at: shownEnd } : { idempotencyKey };
    one.model.renew(this.#clock.now, order);
    const click = ({ deps }: TestServer) => renewSubscription(deps, { ...order, ...once });
    return () => Promise.all(this.#parts.servers.map(click));
  }

  #revoke(one: Simulated): Act {
    const order = this.#order(one);
    one.model.revoke(this.#clock.now);
    return (on) => revokeUser(on, order);
  }

  #delete(one: Simulated): Act {
    const order = this.#order(one);
    this.everybody = this.everybody.filter((other) => other !== one);
    this.#deletedIds.push(one.user._id);
    return (on) => deleteUser(on, order).catch(ignoreCode("not-found"));
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
      database.emails.find({ userId }).sort({ _id: 1 }).lean(),
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
      emails: emails.map(({ kind }) => kind),
      credits: credits.map(({ amount, period }) => `${amount} for ${period?.toISOString()}`),
      payments: payments.map(({ plan, months, startedAt, endsAt, revokedAt }) => ({
        ...{ plan, months, from: startedAt.toISOString(), to: endsAt.toISOString() },
        ...(revokedAt && { revoked: revokedAt.toISOString() }),
      })),
    };
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }

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

/** Park and Miller's generator: the same numbers in each run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
