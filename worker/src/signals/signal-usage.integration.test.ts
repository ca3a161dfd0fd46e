import { HOUR_MS } from "@shared/contract/constants.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { signalRequestSchema } from "@shared/contract/signal.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import { newSignalId, queueSignal } from "@shared/domain/queue-signal.ts";
import { commit } from "@shared/outbox/commit.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { createUser } from "@shared/testing/factories.ts";
import {
  type FakeOpenAi,
  promptTokensOf,
  startFakeOpenAi,
} from "@shared/testing/fakes/fake-openai.ts";
import { startRun } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Analyst } from "../analysis/analyst.ts";
import { NO_EVIDENCE } from "../analysis/evidence/evidence-pack.ts";
import { createOpenAiAnalyst } from "../analysis/openai/openai-analyst.ts";
import { rulesAnalyst } from "../analysis/rules/rules-analyst.ts";
import { liveSeries, memoryMarketData, recordedCandles } from "../testing/fakes.ts";
import { createWorkerMetrics } from "../worker-metrics.ts";
import { runAnalysis } from "./run-analysis.ts";

const recorded = recordedCandles("BTC-USDT.1h").slice(0, 300);
const lastOpened = Math.floor(Date.now() / HOUR_MS - 1) * HOUR_MS;
const candles = recorded.map((candle, index) => ({
  ...candle,
  time: lastOpened - (recorded.length - 1 - index) * HOUR_MS,
}));

describe("what a signal cost", () => {
  let database: Database;
  let openai: FakeOpenAi;
  const logLines: string[] = [];
  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
    openai = await startFakeOpenAi();
  });
  beforeEach(() => openai.reset());
  afterAll(async () => {
    await openai.close();
    await database.close();
  });

  const write = (line: string) => void logLines.push(line);
  const model = (price: { promptUsd: number; completionUsd: number } | null) =>
    createOpenAiAnalyst({
      apiKey: "sk-test",
      baseUrl: openai.baseUrl,
      model: "test-model",
      callTimeoutMs: 5_000,
      maxOutputTokens: 4_000,
      price,
      logger: createLogger({ service: "test", level: "info", destination: { write } }),
    });

  async function makeSignal(analyst: Analyst) {
    const user = await createUser(database, { approved: true });
    const id = newSignalId();
    const request = signalRequestSchema.parse({ symbol: "BTC/USDT", timeframe: "1h" });
    const signal = await commit(database, { lockKeys: id.toString() }, (uow) =>
      queueSignal(database, uow, { id, userId: user._id, request }),
    );
    const run = await startRun(database, signal);
    if (!run) throw new Error("the signal could not be started");
    await runAnalysis(
      {
        database,
        logger: createLogger({ service: "test", level: "info", destination: { write } }),
        marketData: memoryMarketData({ "BTC/USDT": liveSeries(candles) }),
        analyst,
        metrics: createWorkerMetrics(),
        evidence: NO_EVIDENCE,
        tradingCosts: DEFAULT_TRADING_COSTS,
        now: () => new Date(),
        shutdown: new AbortController().signal,
      },
      run,
      new AbortController().signal,
    );
    const analysis = await database.marketAnalyses.findById(run._id).lean();
    const usage = await database.signalUsages.findById(run._id).lean();
    return { analysis, usage };
  }

  it("is stored with it, and separately for the totals", async () => {
    const { analysis, usage } = await makeSignal(model({ promptUsd: 1, completionUsd: 4 }));
    if (!usage) throw new Error("no usage is stored");
    const { promptTokens, completionTokens } = usage;
    const costUsd = (promptTokens + 4 * completionTokens) / 1e6;
    expect(usage).toMatchObject({ model: "test-model", costUsd, at: analysis?.finishedAt });
    expect(analysis?.provenance).toMatchObject({
      usage: { promptTokens, completionTokens, costUsd },
    });
  });

  it("is not known without a price, and nothing by the rules", async () => {
    expect((await makeSignal(model(null))).usage).toMatchObject({ costUsd: null });
    expect((await makeSignal(rulesAnalyst)).usage).toMatchObject({
      model: rulesAnalyst.version.replace("/", "-v"),
      promptTokens: 0,
      costUsd: 0,
    });
  });

  it("is kept for a signal that failed all the same", async () => {
    openai.behave({ kind: "content", content: "{}" });
    const { analysis, usage } = await makeSignal(model(null));
    expect(analysis?.status).toBe("failed");
    expect(openai.chats).toHaveLength(2);
    const asked = openai.chats.reduce((sum, { text }) => sum + promptTokensOf(text), 0);
    expect(usage).toMatchObject({ model: "test-model", promptTokens: asked });
  });

  it("is nothing where the key was not accepted, which the log says plainly", async () => {
    openai.behave({ kind: "status", status: 401 });
    const { analysis, usage } = await makeSignal(model(null));
    expect(analysis?.result?.analysis.warnings[0]).toBe("AI or data fetch failed");
    expect(usage).toBeNull();
    expect(openai.chats).toHaveLength(1);
    const plainly = "openai: the API key was not accepted (401): check OPENAI_API_KEY";
    expect(
      logLines.filter((line) => line.includes(`"msg":"signals fail: ${plainly}"`)),
    ).toHaveLength(1);
  });
});
