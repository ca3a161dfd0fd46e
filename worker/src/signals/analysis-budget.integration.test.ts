import { HOUR_MS } from "@shared/contract/constants.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { signalRequestSchema } from "@shared/contract/signal.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import { countAiCost, readAiSpending } from "@shared/domain/ai-budget.ts";
import { newSignalId, queueSignal } from "@shared/domain/queue-signal.ts";
import { commit } from "@shared/outbox/commit.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { createUser } from "@shared/testing/factories.ts";
import { type FakeOpenAi, startFakeOpenAi } from "@shared/testing/fakes/fake-openai.ts";
import { startRun } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { NO_EVIDENCE } from "../analysis/evidence/evidence-pack.ts";
import { createOpenAiAnalyst } from "../analysis/openai/openai-analyst.ts";
import { rulesAnalyst } from "../analysis/rules/rules-analyst.ts";
import { liveSeries, memoryMarketData, recordedCandles } from "../testing/fakes.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import { createWorkerMetrics } from "../worker-metrics.ts";
import { runAnalysis } from "./run-analysis.ts";
import type { AnalysisRun } from "./signal-lifecycle.ts";

const recorded = recordedCandles("BTC-USDT.1h").slice(0, 300);
const BUDGET_USD = 10;
const USED_UP = "The daily analysis budget is used up.";
/** With these prices and tokens, a call costs 1 dollar. */
const PRICE = { promptUsd: 100, completionUsd: 300 };
const USAGE = { promptTokens: 7_000, completionTokens: 1_000 };

describe("the daily budget of analyses", () => {
  let database: Database;
  let openai: FakeOpenAi;
  /** A noon of its own for each test, in the future: candles of the request have closed. */
  let noon = Math.ceil(Date.now() / (24 * HOUR_MS)) * 24 * HOUR_MS + 12 * HOUR_MS;

  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
    openai = await startFakeOpenAi();
  });
  beforeEach(() => {
    openai.reset();
    openai.behave({ kind: "advice", usage: USAGE });
    noon += 24 * HOUR_MS;
  });
  afterAll(async () => {
    await openai.close();
    await database.close();
  });

  const analyst = () =>
    createOpenAiAnalyst({
      apiKey: "sk-test",
      baseUrl: openai.baseUrl,
      model: "test-model",
      callTimeoutMs: 5_000,
      maxOutputTokens: 4_000,
      price: PRICE,
    });

  /** A worker whose clock stands at `at`, in Unix milliseconds, with the candles up to then. */
  const workerAt = (at: number, overrides: Partial<WorkerDeps> = {}): WorkerDeps => {
    const lastOpened = Math.floor(at / HOUR_MS - 1) * HOUR_MS;
    const candles = recorded.map((candle, index) => ({
      ...candle,
      time: lastOpened - (recorded.length - 1 - index) * HOUR_MS,
    }));
    return {
      database,
      logger: createLogger({ service: "test", level: "silent" }),
      marketData: memoryMarketData({ "BTC/USDT": liveSeries(candles) }),
      analyst: analyst(),
      metrics: createWorkerMetrics(),
      evidence: NO_EVIDENCE,
      tradingCosts: DEFAULT_TRADING_COSTS,
      budgetUsdPerDay: BUDGET_USD,
      now: () => new Date(at),
      shutdown: new AbortController().signal,
      ...overrides,
    };
  };

  async function startedRun(at: number): Promise<AnalysisRun> {
    const user = await createUser(database, { approved: true });
    const id = newSignalId();
    const request = signalRequestSchema.parse({ symbol: "BTC/USDT", timeframe: "1h" });
    const options = { lockKeys: id.toString(), now: () => new Date(at) };
    const signal = await commit(database, options, (uow) =>
      queueSignal(database, uow, { id, userId: user._id, request }),
    );
    const run = await startRun(database, signal);
    if (!run) throw new Error("the signal could not be started");
    return run;
  }

  /** Runs an analysis at that time, and returns how its signal ended. */
  async function analyseAt(at: number, overrides: Partial<WorkerDeps> = {}) {
    const run = await startedRun(at);
    const worker = workerAt(at, overrides);
    await runAnalysis(worker, run, worker.shutdown);
    const signal = await database.signals.findOne({ analysisId: run._id }).lean();
    const usage = await database.signalUsages.findById(run._id).lean();
    return { status: signal?.status, analysis: signal?.analysis, usage };
  }
  const spentAt = (at: number) => readAiSpending(database, new Date(at));
  const spend = (costUsd: number, at: number) =>
    countAiCost(database, { costUsd, endedAt: new Date(at) });

  it.each([
    ["an analysis", [], { calls: 1, status: "completed" }],
    ["the corrective retry too", [{ confidence: 900 }], { calls: 2, status: "completed" }],
  ])("counts each call: %s", async (_, bad, { calls, status }) => {
    openai.behave((_chat, index) => ({ kind: "advice", usage: USAGE, advice: bad[index] ?? {} }));
    expect(await analyseAt(noon)).toMatchObject({ status, usage: { costUsd: calls } });
    expect(openai.chats).toHaveLength(calls);
    expect(await spentAt(noon)).toBe(calls);
  });

  it("counts the calls of an analysis that fails", async () => {
    openai.behave({ kind: "content", content: "Buy!", usage: USAGE });
    expect(await analyseAt(noon)).toMatchObject({ status: "failed" });
    expect(await spentAt(noon)).toBe(openai.chats.length);
    expect(openai.chats.length).toBeGreaterThan(1);
  });

  it("counts a reply that is refused or cut off", async () => {
    openai.behave({ kind: "refusal", usage: USAGE });
    const { status, analysis } = await analyseAt(noon);
    expect(status).toBe("failed");
    expect(analysis?.warnings).toEqual([
      "AI or data fetch failed",
      "The AI model declined this request.",
    ]);
    expect(openai.chats).toHaveLength(1);
    expect(await spentAt(noon)).toBe(1);
    openai.behave({ kind: "content", content: "{", finishReason: "length", usage: USAGE });
    expect(await analyseAt(noon)).toMatchObject({ status: "completed" });
    expect(await spentAt(noon)).toBe(3);
  });

  it("counts a call whose run is aborted, or whose result is dropped", async () => {
    const abort = new AbortController();
    const aborting = {
      ...analyst(),
      advise: async (request: Parameters<WorkerDeps["analyst"]["advise"]>[0]) => {
        const reply = await analyst().advise(request);
        abort.abort(new Error("The job was taken over."));
        return reply;
      },
    };
    const run = await startedRun(noon);
    const worker = workerAt(noon, { analyst: aborting });
    await expect(runAnalysis(worker, run, abort.signal)).rejects.toThrow("taken over");
    expect(await spentAt(noon)).toBe(1);
    await startRun(database, { analysisId: run._id, userId: run.userId ?? run._id });
    await runAnalysis(workerAt(noon), run, worker.shutdown);
    expect(await spentAt(noon)).toBe(2);
    expect(await database.signals.findOne({ analysisId: run._id }).lean()).toMatchObject({
      status: "running",
    });
  });

  it("ends an analysis without a call once it is used up, with that as the only warning", async () => {
    await spend(BUDGET_USD - 0.5, noon);
    expect(await analyseAt(noon)).toMatchObject({ status: "completed" });
    const { status, analysis, usage } = await analyseAt(noon);
    expect(status).toBe("failed");
    expect(analysis).toMatchObject({ final_signal: "WAIT", confidence: 0, entry: null });
    expect(analysis?.warnings).toEqual([USED_UP]);
    expect(usage).toBeNull();
    expect(openai.chats).toHaveLength(1);
    expect(await spentAt(noon)).toBe(BUDGET_USD + 0.5);
  });

  it("has a fifth left for requests when the AI is about to be called for watchers", async () => {
    /** A scheduled analysis, which a request may have joined. */
    const analyse = async ({ isRequested }: { isRequested: boolean }) => {
      const { _id, ...run } = await startedRun(noon);
      const fanOut = { after: null };
      await database.marketAnalyses.updateOne({ _id }, { $set: { fanOut } });
      if (!isRequested) await database.signals.deleteOne({ analysisId: _id });
      const worker = workerAt(noon);
      await runAnalysis(worker, { ...run, _id, fanOut }, worker.shutdown);
      return database.marketAnalyses.findById(_id).lean();
    };
    await spend(0.8 * BUDGET_USD - 0.01, noon);
    expect(await analyse({ isRequested: false })).toMatchObject({ status: "completed" });
    expect(openai.chats).toHaveLength(1);
    const refused = await analyse({ isRequested: false });
    expect(refused).toMatchObject({ status: "failed" });
    expect(refused).not.toHaveProperty("fanOut");
    expect(openai.chats).toHaveLength(1);
    expect(await analyse({ isRequested: true })).toMatchObject({ status: "completed" });
    expect(openai.chats).toHaveLength(2);
  });

  it("is not checked again for the corrective retry of an analysis", async () => {
    await spend(BUDGET_USD - 1, noon);
    openai.behave((_, index) => ({
      kind: "advice",
      usage: USAGE,
      ...(index === 0 && { advice: { confidence: 900 } }),
    }));
    const { analysis } = await analyseAt(noon);
    expect(analysis?.final_signal).toBe("BUY");
    expect(await spentAt(noon)).toBe(BUDGET_USD + 1);
  });

  it("resets at midnight UTC", async () => {
    const midnight = noon + 12 * HOUR_MS;
    await spend(BUDGET_USD, midnight - 1);
    expect((await analyseAt(midnight - 1)).analysis?.warnings).toEqual([USED_UP]);
    expect(openai.chats).toEqual([]);
    expect(await analyseAt(midnight)).toMatchObject({ status: "completed" });
    expect(await spentAt(midnight)).toBe(1);
    noon += 24 * HOUR_MS;
  });

  it("counts a call towards the day in which it finished", async () => {
    const midnight = noon + 12 * HOUR_MS;
    let at = midnight - 1;
    openai.behave(() => {
      at = midnight;
      return { kind: "advice", usage: USAGE };
    });
    await analyseAt(at, { now: () => new Date(at) });
    expect([await spentAt(midnight - 1), await spentAt(midnight)]).toEqual([0, 1]);
    noon += 24 * HOUR_MS;
  });

  it("does not limit rules, closed markets, or workers without a budget", async () => {
    await spend(BUDGET_USD, noon);
    const byRules = await analyseAt(noon, { analyst: rulesAnalyst });
    expect(byRules).toMatchObject({ status: "completed", usage: { costUsd: 0 } });
    const late = workerAt(noon - 24 * HOUR_MS);
    const paused = await analyseAt(noon, { marketData: late.marketData });
    expect(paused).toMatchObject({
      status: "completed",
      analysis: { source: { analyst: "none" } },
    });
    expect(await spentAt(noon)).toBe(BUDGET_USD);
    expect(openai.chats).toEqual([]);
    const unlimited = await analyseAt(noon, { budgetUsdPerDay: undefined });
    expect(unlimited).toMatchObject({ status: "completed" });
    expect(await spentAt(noon)).toBe(BUDGET_USD + 1);
  });
});
