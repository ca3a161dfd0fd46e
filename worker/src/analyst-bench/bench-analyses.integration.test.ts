import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import { shadowDatabase } from "@shared/domain/analyst-bench.ts";
import { verifyDatabase } from "@shared/domain/ledger.ts";
import { loadWorkerSettings } from "@shared/runtime/settings.ts";
import {
  type FakeOpenAi,
  type OpenAiBehaviour,
  startFakeOpenAi,
} from "@shared/testing/fakes/fake-openai.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { WorkQueue } from "@shared/work/work-queue.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { NO_EVIDENCE } from "../analysis/evidence/evidence-pack.ts";
import { CandleArchive } from "../outcomes/candle-archive.ts";
import { MarketBackoff, resolveOutcomes } from "../outcomes/resolve-outcomes.ts";
import { appendRecords } from "../record/append-records.ts";
import { patient, recordedCandles, scriptedMarket, silentLogger } from "../testing/fakes.ts";
import { createBench } from "./arms.ts";
import { type BenchDeps, makeBenchAnalyses, makingBenchAnalyses } from "./bench-analyses.ts";
import { readBenchFile } from "./bench-file.ts";
import { measureBench } from "./measure-bench.ts";
import { reportBench } from "./report-setup.ts";
import { scheduleBench } from "./schedule-bench.ts";

const MARKET = { symbol: "BTC/USDT", timeframe: "1h" } as const;
const HOUR_MS = 3_600_000;
const recorded = recordedCandles("BTC-USDT.1h").slice(0, 800);
/** Of the last candle that the arms judge first. */
const CLOSE = (recorded[320]?.time ?? 0) + HOUR_MS;

let database: Database;
let openai: FakeOpenAi;
beforeAll(async () => {
  database = await openDatabase({ uri: testDatabaseUri() });
  openai = await startFakeOpenAi();
});
afterAll(async () => {
  await openai.close();
  await database.close();
});
beforeEach(async () => {
  openai.reset();
  const { shadowAnalyses, benchDays, benchReports, benchSetups, benchSchedules } = database;
  const { benchSpending, jobs, ledger, ledgerHeads, ledgerReveals } = database;
  const all = [shadowAnalyses, benchDays, benchReports, benchSetups, benchSchedules];
  for (const model of [...all, benchSpending, jobs, ledger, ledgerHeads, ledgerReveals]) {
    await model.collection.deleteMany({});
  }
});

const RULES = { id: "own-rules", label: "Rules", analyst: "rules" };
const model = (id: string, more: Record<string, unknown> = {}) => ({
  ...{ id, label: id, analyst: "openai", model: `model-${id}`, base_url: openai.baseUrl },
  ...more,
});

function fileOf(content: unknown): string {
  const file = join(mkdtempSync(join(tmpdir(), "bench-")), "bench.json");
  writeFileSync(file, JSON.stringify(content));
  return file;
}

const PRICES = { OPENAI_PRICE_PROMPT: "1000", OPENAI_PRICE_COMPLETION: "1000" };

function benchOf(arms: unknown[], budget?: number, env: Record<string, string> = PRICES) {
  const content = { arms, markets: [MARKET], ...(budget && { budget_usd_per_day: budget }) };
  const file = readBenchFile(fileOf(content));
  if (!file) throw new Error("there is a file");
  const settings = loadWorkerSettings(env);
  const readVariable = (name: string) => (name === "ARM_KEY" ? "sk-arm" : undefined);
  return createBench(file, { settings, database, logger: silentLogger, readVariable });
}

function depsOf(bench: BenchDeps["bench"], now = CLOSE) {
  const market = scriptedMarket({ "1h": recorded }, now);
  const deps = {
    database,
    logger: silentLogger,
    marketData: market,
    evidence: NO_EVIDENCE,
    tradingCosts: DEFAULT_TRADING_COSTS,
    now: () => new Date(market.now),
    bench,
  };
  return { deps, market };
}

const candleAt = (closedAt: number) => ({ ...MARKET, closedAt: new Date(closedAt) });
const shadows = () => database.shadowAnalyses.find().sort({ arm: 1 }).lean();

const IDS = ["donchian-20", "momentum-100", "own-rules", "random"];

describe("the analyses of the bench", () => {
  it("are made once for each arm and candle, from the same candles, and no user gets them", async () => {
    const bench = benchOf([RULES, model("a", { api_key_env: "ARM_KEY", samples: 2 })]);
    const { deps } = depsOf(bench);
    await makeBenchAnalyses(deps, candleAt(CLOSE), patient());
    await makeBenchAnalyses(deps, candleAt(CLOSE), patient());
    const made = await shadows();
    expect(made.map(({ arm }) => arm)).toEqual(["a", ...IDS]);
    expect(made.map(({ status }) => status)).toEqual(made.map(() => "completed"));
    expect(new Set(made.map(({ result }) => result?.candlesSha256)).size).toBe(1);
    expect(openai.chats).toHaveLength(2);
    expect(openai.chats[0]?.headers.authorization).toBe("Bearer sk-arm");
    expect(openai.chats[0]?.body.model).toBe("model-a");
    expect(await database.marketAnalyses.countDocuments()).toBe(0);
    expect(await database.signals.countDocuments()).toBe(0);
    expect(await database.signalUsages.countDocuments()).toBe(0);
  });

  it("are in the ledger before their outcome, with the arm, and are resolved and verified like others", async () => {
    const bench = benchOf([RULES]);
    const { deps, market } = depsOf(bench);
    for (let candle = 0; candle < 24; candle += 1) {
      market.now = CLOSE + candle * HOUR_MS;
      await makeBenchAnalyses(deps, candleAt(market.now), patient());
    }
    const shadow = { ...deps, database: shadowDatabase(database) };
    await appendRecords(shadow);
    const trades = (await shadows()).filter(({ resolveAt }) => resolveAt);
    expect(trades.length).toBeGreaterThan(10);
    market.now = CLOSE + 400 * HOUR_MS;
    const archive = new CandleArchive({ live: market, replay: undefined });
    const backoff = new MarketBackoff();
    await resolveOutcomes({ ...shadow, archive, backoff, abort: patient(), keepsCandles: false });
    while ((await appendRecords(shadow)) > 0);
    const resolved = await shadows();
    expect(resolved.filter(({ outcome }) => outcome)).toHaveLength(trades.length);
    expect(await database.outcomeCandles.countDocuments()).toBe(0);
    const records = await database.ledger.find().sort({ _id: 1 }).lean();
    for (const { body } of records) expect(IDS).toContain(body.arm);
    const { fault, tally } = await verifyDatabase(database);
    expect(fault).toBeNull();
    expect(tally.shadow).toEqual({ analyses: 96, outcomes: trades.length });
    expect(tally.analyses).toEqual({ live: 0, replay: 0, none: 0 });
    expect(tally.outcomes).toEqual({ WIN: 0, LOSS: 0, EXPIRED: 0 });

    await reportBench(deps, { ...bench, isDemo: false });
    expect((await measureBench(deps)).length).toBeGreaterThan(0);
    expect(await measureBench(deps)).toEqual([]);
    const report = await database.benchReports.findOne().lean();
    expect(report?.bench.arms.map(({ id, analyses }) => [id, analyses])).toEqual([
      ["own-rules", 24],
      ["donchian-20", 24],
      ["momentum-100", 24],
      ["random", 24],
    ]);
    expect(report?.bench.pairs).toHaveLength(6);
    const momentum = report?.bench.arms.find(({ id }) => id === "momentum-100");
    const random = report?.bench.pairs.find(({ a, b }) => a === "momentum-100" && b === "random");
    const rOf = (arm: string) =>
      resolved
        .filter((each) => each.arm === arm)
        .reduce((sum, { resolution }) => sum + (resolution?.r_multiple ?? 0), 0);
    expect(random?.common).toBe(24);
    expect(random?.difference_r.value).toBeCloseTo((rOf("momentum-100") - rOf("random")) / 24, 9);
    expect(random?.conclusive).toBe(false);
    expect(momentum?.cost_per_analysis_usd).toBe(0);
    expect(momentum?.decided).toBeGreaterThan(0);
  });

  it("of an arm whose server fails are failed, and harm no other", async () => {
    const bench = benchOf([RULES, model("down"), model("up")]);
    const down: OpenAiBehaviour = { kind: "status", status: 401, message: "bad key" };
    openai.behave(({ body }) => (body.model === "model-down" ? down : { kind: "advice" }));
    const { deps } = depsOf(bench);
    await makeBenchAnalyses(deps, candleAt(CLOSE), patient());
    await reportBench(deps, { ...bench, isDemo: false });
    await measureBench(deps);
    const report = await database.benchReports.findOne().lean();
    const counts = report?.bench.arms.map(({ id, analyses, failed }) => [id, analyses, failed]);
    expect(counts).toEqual([
      ["own-rules", 1, 0],
      ["down", 0, 1],
      ["up", 1, 0],
      ["donchian-20", 1, 0],
      ["momentum-100", 1, 0],
      ["random", 1, 0],
    ]);
  });

  it("keep the budget to one call, over two workers at once", async () => {
    // A call costs 1.1 dollars, so three calls are the first that exceed it.
    const usage = { promptTokens: 1_000, completionTokens: 100 };
    openai.behave({ kind: "advice", usage });
    const arms = ["a", "b", "c", "d"].map((id) => model(id));
    const bench = benchOf(arms, 2.5);
    const other = benchOf(arms, 2.5);
    for (let candle = 0; candle < 3; candle += 1) {
      const closedAt = CLOSE + candle * HOUR_MS;
      await Promise.all(
        [bench, other].map((each) =>
          makeBenchAnalyses(depsOf(each, closedAt).deps, candleAt(closedAt), patient()),
        ),
      );
    }
    expect(openai.chats.length).toBeGreaterThanOrEqual(2);
    expect(openai.chats.length).toBeLessThanOrEqual(3);
    const [spending] = await database.benchSpending.find().lean();
    expect(spending?.reserved).toEqual([]);
    expect((spending?.nanoUsd ?? 0) / 1e9).toBeCloseTo(openai.chats.length * 1.1, 6);
    expect(await database.aiSpending.countDocuments()).toBe(0);
  });

  it("of the first candle of a day are made by all arms at once, as the days before say what a call costs", async () => {
    const before = { nanoUsd: 1.1e9, maxNanoUsd: 1.1e9, byArm: {}, reserved: [] };
    await database.benchSpending.create({ _id: "2026-01-01", ...before });
    const usage = { promptTokens: 1_000, completionTokens: 100 };
    const bothAsked = () =>
      vi.waitFor(() => expect(openai.chats).toHaveLength(2), { timeout: 20_000 });
    openai.behave(() => ({ kind: "advice", usage, heldUntil: bothAsked() }));
    const bench = benchOf([model("a"), model("b")], 100);
    await makeBenchAnalyses(depsOf(bench).deps, candleAt(CLOSE), patient());
    const [today] = await database.benchSpending.find({ _id: { $ne: "2026-01-01" } }).lean();
    expect(today?.maxNanoUsd).toBe(1.1e9);
    expect(today?.nanoUsd).toBe(2.2e9);
  });

  it("of a worker that died are made up by another one, each once, and its call counts as paid", async () => {
    const usage = { promptTokens: 1_000, completionTokens: 100 };
    let release: () => void = () => undefined;
    const heldUntil = new Promise<void>((resolve) => {
      release = resolve;
    });
    openai.behave((_, index) => ({ kind: "advice", usage, ...(index === 0 && { heldUntil }) }));
    const bench = benchOf([RULES, model("slow")], 100);
    const { deps, market } = depsOf(bench);
    const dying = makeBenchAnalyses(deps, candleAt(CLOSE), patient());
    await vi.waitFor(async () => expect(await shadows()).toHaveLength(4));
    await vi.waitFor(() => expect(openai.chats).toHaveLength(1));
    // The first call of all reserves the whole budget until it is known what a call costs.
    const other = makeBenchAnalyses(depsOf(bench).deps, candleAt(CLOSE), patient());
    await database.benchSpending.updateMany(
      { "reserved.0": { $exists: true } },
      { $set: { "reserved.0.at": new Date(0), "reserved.0.nanoUsd": 1.1e9 } },
    );
    await other;
    release();
    await dying;
    expect(openai.chats).toHaveLength(2);
    expect((await shadows()).map(({ arm }) => arm)).toEqual([...IDS, "slow"]);
    const [spending] = await database.benchSpending.find().lean();
    expect((spending?.nanoUsd ?? 0) / 1e9).toBeGreaterThanOrEqual(2.2);
    expect(market.asked.length).toBeGreaterThan(0);
  });

  it("of an anonymised arm show a model neither name nor date nor price, and have the levels of the market", async () => {
    const bench = benchOf([model("blind", { anonymised: true }), model("open")]);
    const { deps } = depsOf(bench);
    await makeBenchAnalyses(deps, candleAt(CLOSE), patient());
    const ofModel = (id: string) => openai.chats.find(({ body }) => body.model === `model-${id}`);
    const blind = ofModel("blind")?.text ?? "";
    const year = new Date(CLOSE).toISOString().slice(0, 10);
    const price = recorded[320]?.close.toFixed(2) ?? "";
    expect(ofModel("open")?.text).toContain("BTC/USDT");
    expect(ofModel("open")?.text).toContain(price);
    for (const word of ["BTC", "Bitcoin", price, year]) expect(blind).not.toContain(word);
    const made = await shadows();
    const [one, other] = ["blind", "open"].map(
      (id) => made.find(({ arm }) => arm === id)?.result?.analysis,
    );
    expect(one?.source.last_candle_at).toBe(other?.source.last_candle_at);
    expect(one?.source.price).toBe(other?.source.price);
    expect(one?.stop_loss ?? 0).toBeCloseTo(other?.stop_loss ?? 1, -2);
    expect(one?.valid_until).toBe(other?.valid_until);
  });

  it("are given only the blocks of evidence that the arm names", async () => {
    const bench = benchOf([model("some", { evidence: ["events"] })]);
    const asked: unknown[] = [];
    const { deps } = depsOf(bench);
    const evidence: BenchDeps["evidence"] = {
      guard: "off",
      gather: async (_market, _abort, blocks) => {
        asked.push(blocks);
        return { items: [], events: [] };
      },
    };
    await makeBenchAnalyses({ ...deps, evidence }, candleAt(CLOSE), patient());
    expect(asked).toContainEqual(["events"]);
    expect(asked).toContain(undefined);
  });

  it("wait while an analysis of a user waits, and are left out when it is too late", async () => {
    const bench = benchOf([RULES]);
    const { deps, market } = depsOf(bench);
    await database.jobs.collection.insertOne({
      name: "generate-signal",
      nextRunAt: new Date(CLOSE - 1),
      lockedAt: null,
    });
    const waiting = makeBenchAnalyses(deps, candleAt(CLOSE), patient());
    await vi.waitFor(() => expect(market.asked).toEqual([]));
    market.now = CLOSE + HOUR_MS;
    await waiting;
    expect(await shadows()).toEqual([]);
  });

  it("are queued once at each close, and made once by two workers", async () => {
    const at = database.now();
    const closedAt = Math.floor(at.getTime() / HOUR_MS) * HOUR_MS;
    const shifted = recorded.map((candle, index) => ({
      ...candle,
      time: closedAt - (recorded.length - index) * HOUR_MS,
    }));
    const planned = new Date(closedAt + 10_000);
    const queues = ["one", "two"].map((workerId) => {
      const bench = benchOf([RULES]);
      const market = scriptedMarket({ "1h": shifted }, closedAt);
      const deps = { ...depsOf(bench).deps, marketData: market, now: () => planned };
      const handlers = [makingBenchAnalyses(deps)];
      return { deps, queue: new WorkQueue({ database, logger: silentLogger, workerId, handlers }) };
    });
    const source = { currentSource: () => "live" as const };
    await Promise.all(queues.map(({ deps }) => scheduleBench({ ...deps, ...source }, planned)));
    await Promise.all(queues.map(({ deps }) => scheduleBench({ ...deps, ...source }, planned)));
    expect(await database.jobs.countDocuments({ name: "bench-analyses" })).toBe(1);
    for (const { queue } of queues) queue.start();
    await vi.waitFor(async () => expect(await shadows()).toHaveLength(4), { timeout: 15_000 });
    await vi.waitFor(async () => expect(await database.jobs.countDocuments()).toBe(0));
    await Promise.all(queues.map(({ queue }) => queue.stop({ drainMs: 1_000 })));
    expect(await shadows()).toHaveLength(4);
  });
});

describe("the file of the bench", () => {
  const good = { arms: [RULES], markets: [MARKET] };
  const read = (content: unknown) => () => readBenchFile(fileOf(content));

  it("is none without the setting", () => {
    expect(readBenchFile(undefined)).toBeNull();
  });

  it.each<[string, unknown]>([
    ["arms.0.samples", { ...good, arms: [{ ...RULES, samples: 6 }] }],
    ["arms.0.analyst", { ...good, arms: [{ ...RULES, analyst: "oracle" }] }],
    ["arms.1.id", { ...good, arms: [RULES, RULES] }],
    ["arms.0.id", { ...good, arms: [{ ...RULES, id: "random" }] }],
    ["arms.0.evidence.1", { ...good, arms: [{ ...RULES, evidence: ["events", "rumours"] }] }],
    ["arms.0.temperature", { ...good, arms: [{ ...RULES, temperature: 1 }] }],
    ["arms.0.base_url", { ...good, arms: [{ ...RULES, base_url: "ftp://x" }] }],
    ["markets.0.timeframe", { ...good, markets: [{ ...MARKET, timeframe: "7m" }] }],
    ["markets.1", { ...good, markets: [MARKET, MARKET] }],
    ["markets", { arms: [RULES] }],
    ["budget_usd_per_day", { ...good, budget_usd_per_day: -1 }],
    ["arms", { markets: [MARKET] }],
  ])("that is wrong is refused with one line that names %s", (field, content) => {
    expect(read(content)).toThrow(new RegExp(`^BENCH_FILE: ${field}: [^\\n]+$`));
  });

  it("that is missing or no JSON is refused with one line", () => {
    expect(() => readBenchFile("/nowhere/bench.json")).toThrow(/^BENCH_FILE: [^\n]+$/);
    const file = fileOf({});
    writeFileSync(file, "{");
    expect(() => readBenchFile(file)).toThrow(/^BENCH_FILE: the file is not JSON$/);
  });

  it("needs the key that it names, and prices for a budget", () => {
    expect(() => benchOf([model("a", { api_key_env: "MISSING" })])).toThrow(
      "BENCH_FILE: arms.0.api_key_env: the environment variable MISSING is not set",
    );
    expect(() => benchOf([RULES, model("a")], 1, {})).toThrow(
      /^BENCH_FILE: arms\.1\.price_prompt: /,
    );
  });
});
