import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { actionDoneSchema } from "@shared/contract/admin.ts";
import { adminBenchSchema } from "@shared/contract/analyst-bench.ts";
import { TIMEFRAME_MS } from "@shared/contract/market-data.ts";
import { BENCH_ANALYSES } from "@shared/domain/bench-work.ts";
import { lastCandleClose } from "@shared/domain/queue-analysis.ts";
import { expectAnswer } from "@shared/testing/call-api.ts";
import { type FakeOpenAi, startFakeOpenAi } from "@shared/testing/fakes/fake-openai.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { assertInvariants } from "./harness/assert-invariants.ts";
import {
  askForMany,
  type FaultHarness,
  isLockOf,
  startHarness,
  untilEnded,
} from "./harness/harness.ts";
import { holdCommand, type ServiceSlot } from "./harness/processes.ts";
import { until } from "./harness/until.ts";

/** Its closes are never far. */
const TIMEFRAME = "1m";
const LENGTH_MS = TIMEFRAME_MS[TIMEFRAME];
/** Before the close. */
const SETUP_MS = 5_000;
const MADE = { what: "the analyses of all arms", withinMs: 120_000 };
const SYMBOLS = ["BTC/USDT", "ETH/USDT", "SOL/USDT"];
const FREE = ["donchian-20", "momentum-100", "random", "own-rules"];
const PAID = ["one", "two"];
const ALL = [...PAID, "down", ...FREE].toSorted();
/** A call costs one dollar. */
const USAGE = { promptTokens: 1_000, completionTokens: 0 };
const PRICE = { price_prompt: 1_000, price_completion: 0 };
/** Workers look every ten seconds. */
const SWITCHED_WITHIN_MS = 60_000;
const MUCH_USD = 1_000;
const NANO_PER_USD = 1_000_000_000;

describe("the arms of the bench, on two workers", () => {
  let harness: FaultHarness;
  let models: FakeOpenAi;
  let down: FakeOpenAi;
  const folder = mkdtempSync(join(tmpdir(), "bench-faults-"));
  const file = join(folder, "bench.json");
  const restarts: Promise<void>[] = [];

  const writeBench = (budgetUsd: number) => {
    const arm = (id: string, baseUrl: string) => ({
      ...{ id, label: id, analyst: "openai", model: id, base_url: baseUrl, ...PRICE },
    });
    const content = {
      arms: [
        ...PAID.map((id) => arm(id, models.baseUrl)),
        arm("down", down.baseUrl),
        { id: "own-rules", label: "Rules", analyst: "rules" },
      ],
      markets: SYMBOLS.map((symbol) => ({ symbol, timeframe: TIMEFRAME })),
      budget_usd_per_day: budgetUsd,
    };
    writeFileSync(file, JSON.stringify(content));
  };

  beforeAll(async () => {
    models = await startFakeOpenAi();
    // From the first call on: the most expensive one says how many run at once.
    models.behave({ kind: "advice", usage: USAGE });
    down = await startFakeOpenAi();
    down.behave({ kind: "status", status: 500 });
    writeBench(MUCH_USD);
    const env = { BENCH_FILE: file };
    harness = await startHarness({ workerEnv: { a: env, b: env } });
    // A close may have been planned by then.
    await planNothing();
    await untilMade();
  });
  afterEach(async () => {
    await Promise.all(restarts.splice(0));
    await assertInvariants(harness);
  });
  afterAll(async () => {
    await harness.close();
    await Promise.all([models.close(), down.close()]);
    rmSync(folder, { recursive: true });
  });

  const plan = (plannedUntil: number) =>
    harness.database.benchSchedules.updateOne(
      { _id: TIMEFRAME },
      { $set: { plannedUntil: new Date(plannedUntil) } },
      { upsert: true },
    );
  /** Further closes do not mix with the one that is tested. */
  const planNothing = () => plan(Date.now() + 60 * LENGTH_MS);

  /** The next close, of which all items are queued. */
  async function nextClose(): Promise<Date> {
    const { database } = harness;
    const isInTime = () => Date.now() % LENGTH_MS < LENGTH_MS - SETUP_MS;
    await until(isInTime, { what: "the start of a candle" });
    const before = lastCandleClose(TIMEFRAME, new Date()).getTime();
    await plan(before);
    const closedAt = new Date(before + LENGTH_MS);
    const data = { "data.closedAt": closedAt.toISOString() };
    const isPlanned = async () =>
      (await database.jobs.countDocuments({ name: BENCH_ANALYSES, ...data })) === SYMBOLS.length;
    await until(isPlanned, { what: "the plan of the close", withinMs: 2 * LENGTH_MS });
    await planNothing();
    return closedAt;
  }

  const untilMade = () =>
    until(async () => !(await harness.database.jobs.exists({ name: BENCH_ANALYSES })), MADE);

  const madeAt = async (closedAt: Date) => {
    const made = await harness.database.shadowAnalyses.find({ candleClosedAt: closedAt }).lean();
    return made.map(({ symbol, arm, status }) => ({ symbol, arm, status }));
  };

  /** Each arm has each market once, and only the one whose server fails has failed. */
  async function expectComplete(closedAt: Date) {
    const made = await madeAt(closedAt);
    for (const symbol of SYMBOLS) {
      const ofMarket = made.filter((each) => each.symbol === symbol);
      expect(ofMarket.map(({ arm }) => arm).toSorted()).toEqual(ALL);
    }
    const failed = made.filter(({ status }) => status === "failed");
    expect(new Set(failed.map(({ arm }) => arm))).toEqual(new Set(["down"]));
    expect(failed).toHaveLength(SYMBOLS.length);
  }

  function kill(worker: ServiceSlot): Promise<void> {
    const killed = worker.kill();
    restarts.push(killed.then(() => worker.start()));
    return killed;
  }

  const callsOf = (closedFrom: number) => models.chats.length - closedFrom;

  it("have each candle once, and one whose server fails is shown as failing", async () => {
    models.behave({ kind: "advice", usage: USAGE });
    const calls = models.chats.length;
    const closedAt = await nextClose();
    await untilMade();
    await expectComplete(closedAt);
    expect(callsOf(calls)).toBe(PAID.length * SYMBOLS.length);
    const { servers, administrator, database } = harness;
    const { token } = administrator;
    const bench = await expectAnswer(adminBenchSchema, `${servers.a.url}/admin/bench`, { token });
    const states = bench.arms.map(({ id, state }) => [id, state]);
    expect(Object.fromEntries(states)).toEqual(
      Object.fromEntries(ALL.map((id) => [id, id === "down" ? "failing" : "running"])),
    );
    expect(await database.marketAnalyses.countDocuments()).toBe(0);
  });

  it("have each candle once when a worker is killed while it waits for their models", async () => {
    let release: () => void = () => undefined;
    const heldUntil = new Promise<void>((resolve) => {
      release = resolve;
    });
    models.behave({ kind: "advice", usage: USAGE, heldUntil });
    const calls = models.chats.length;
    const closedAt = await nextClose();
    await until(() => callsOf(calls) > 0, { what: "a call" });
    const { jobs } = harness.database;
    const locked = await jobs.find({ name: BENCH_ANALYSES, lockedAt: { $ne: null } }).lean();
    const worker = Object.values(harness.workers).find((one) =>
      locked.some(({ lastModifiedBy }) => isLockOf(lastModifiedBy, one)),
    );
    if (!worker) throw new Error("no worker has an item of the bench");
    await kill(worker);
    release();
    await untilMade();
    await expectComplete(closedAt);
    const wanted = PAID.length * SYMBOLS.length;
    expect(callsOf(calls)).toBeGreaterThanOrEqual(wanted);
    // What the crashed worker had asked is asked once more.
    expect(callsOf(calls)).toBeLessThanOrEqual(2 * wanted);
  });

  it("have each candle once when a worker is killed while it stores an analysis", async () => {
    models.behave({ kind: "advice", usage: USAGE });
    const held = { command: "insert", collection: "shadow_analyses" };
    const closedAt = await nextClose();
    const point = await holdCommand(await harness.mongo.primary(), held);
    const client = await point.entered();
    const worker = Object.values(harness.workers).find(({ name }) => name === client);
    if (!worker) throw new Error(`${client} sent the command, which is no worker`);
    await kill(worker);
    await point.release();
    await untilMade();
    await expectComplete(closedAt);
  });

  it("become the analyst of workers that run, and are replaced by that of the settings again", async () => {
    models.behave({ kind: "advice", usage: USAGE });
    const { servers, administrator, aiCalls, database } = harness;
    const { token } = administrator;
    const trader = await harness.signUp();
    const choose = (arm: string | null) => {
      const options = { token, body: { arm } };
      return expectAnswer(actionDoneSchema, `${servers.a.url}/admin/bench/analyst`, options);
    };
    /** Asks for new analyses until another analyst makes them. */
    const untilAsked = (calls: () => number, what: string) => {
      const before = calls();
      const ask = async () => {
        const [id = ""] = await askForMany(harness, trader, [harness.nextMarket()]);
        await untilEnded(harness, [id]);
        return calls() > before;
      };
      return until(ask, { what, withinMs: SWITCHED_WITHIN_MS });
    };
    const { pid } = harness.workers.a;
    await choose("one");
    await untilAsked(() => models.chats.length, "a call of the chosen arm");
    await choose(null);
    await untilAsked(() => aiCalls.length, "a call of the analyst of the settings");
    expect(harness.workers.a.pid).toBe(pid);
    expect(await database.securityLog.countDocuments({ type: "analyst:chosen" })).toBe(2);
  });

  it("exceed the budget of the day by less than one call, also when a worker is killed meanwhile", async () => {
    const { database, workers } = harness;
    const both = Object.values(workers);
    await Promise.all(both.map((worker) => worker.kill()));
    // A call that still ran would be known to be cheaper later.
    const [day] = await database.benchSpending.find().sort({ _id: -1 }).limit(1).lean();
    const committed =
      (day?.nanoUsd ?? 0) + (day?.reserved ?? []).reduce((sum, { nanoUsd }) => sum + nanoUsd, 0);
    writeBench(committed / NANO_PER_USD + 2.5);
    await Promise.all(both.map((worker) => worker.start()));
    let release: () => void = () => undefined;
    const heldUntil = new Promise<void>((resolve) => {
      release = resolve;
    });
    models.behave({ kind: "advice", usage: USAGE, heldUntil });
    const calls = models.chats.length;
    const first = await nextClose();
    await until(() => callsOf(calls) === 2, { what: "two calls" });
    await kill(workers.a);
    release();
    await untilMade();
    const second = await nextClose();
    await untilMade();
    expect(callsOf(calls)).toBeGreaterThanOrEqual(2);
    expect(callsOf(calls)).toBeLessThanOrEqual(3);
    for (const closedAt of [first, second]) {
      const made = await madeAt(closedAt);
      const free = made.filter(({ arm }) => FREE.some((id) => id === arm));
      expect(free).toHaveLength(FREE.length * SYMBOLS.length);
      expect(new Set(free.map(({ symbol, arm }) => `${symbol} ${arm}`)).size).toBe(free.length);
    }
  });
});
