import { usageSchema } from "@shared/contract/admin.ts";
import type { SignalUsageRecord } from "@shared/database/models/market-analysis.ts";
import { countAiCost } from "@shared/domain/ai-budget.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { Types } from "mongoose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

const planSchema = z.object({ queryPlanner: z.object({ winningPlan: z.unknown() }) });
const NOW = new Date("2026-03-18T00:30:00Z");

describe("GET /admin/usage", () => {
  let server: TestServer;
  let token: string;
  beforeAll(async () => {
    const overrides = { now: () => NOW };
    server = await startTestServer({ databaseUri: testDatabaseUri(), overrides });
    const root = await createUser(server.database, { role: "admin", approved: true });
    token = signTokenFor(root, server.deps.settings);
  });
  beforeEach(async () => {
    await server.database.signalUsages.deleteMany();
  });
  afterAll(() => server.stop());

  const spend = (at: string, usage: Partial<SignalUsageRecord> = {}) =>
    server.database.signalUsages.create({
      _id: new Types.ObjectId(),
      at: new Date(at),
      model: "gpt-test",
      promptTokens: 1_000,
      completionTokens: 100,
      costUsd: 0.25,
      ...usage,
    });
  const read = async () => {
    const answer = await server.call("/admin/usage", { token });
    expect(answer.status).toBe(200);
    return usageSchema.strict().parse(await answer.json());
  };

  it("totals today, 7 days and 30 days by UTC, each with the one before", async () => {
    await spend("2026-03-18T00:00:00Z");
    await spend("2026-03-17T23:59:59.999Z");
    await spend("2026-03-12T00:00:00Z");
    await spend("2026-03-11T23:59:59.999Z");
    await spend("2026-02-17T00:00:00Z");
    await spend("2026-02-16T23:59:59.999Z");
    const usage = await read();
    expect(usage.today).toEqual({
      since: "2026-03-18T00:00:00.000Z",
      signals: 1,
      prompt_tokens: 1_000,
      completion_tokens: 100,
      cost_usd: 0.25,
      unpriced_signals: 0,
      by_model: [
        {
          model: "gpt-test",
          signals: 1,
          prompt_tokens: 1_000,
          completion_tokens: 100,
          cost_usd: 0.25,
          unpriced_signals: 0,
        },
      ],
    });
    expect(usage.last_7_days).toMatchObject({ since: "2026-03-12T00:00:00.000Z", signals: 3 });
    expect(usage.last_30_days).toMatchObject({
      since: "2026-02-17T00:00:00.000Z",
      signals: 5,
      prompt_tokens: 5_000,
      cost_usd: 1.25,
    });
  });

  it("separates models, and those without a price", async () => {
    const at = "2026-03-18T00:10:00Z";
    await spend(at, { model: "unpriced", costUsd: null });
    await spend(at);
    await spend(at);
    await spend(at, { costUsd: null });
    const { today } = await read();
    expect(today).toMatchObject({ signals: 4, cost_usd: 0.5, unpriced_signals: 2 });
    expect(today.by_model).toMatchObject([
      { model: "gpt-test", signals: 3, cost_usd: 0.5, unpriced_signals: 1 },
      { model: "unpriced", signals: 1, cost_usd: null, unpriced_signals: 1 },
    ]);
  });

  it("has no budget unless one is set", async () => {
    expect((await read()).budget).toBeNull();
  });

  it("has the budget, and what all calls of today have cost, also of unfinished analyses", async () => {
    const limited = await startTestServer({
      databaseUri: testDatabaseUri(),
      environment: {
        OPENAI_PRICE_PROMPT: "1",
        OPENAI_PRICE_COMPLETION: "4",
        OPENAI_BUDGET_USD_PER_DAY: "2.5",
      },
      overrides: { now: () => NOW },
    });
    const { database, deps } = limited;
    const root = await createUser(database, { role: "admin", approved: true });
    const readBudget = async () => {
      const answer = await limited.call("/admin/usage", {
        token: signTokenFor(root, deps.settings),
      });
      return usageSchema.strict().parse(await answer.json()).budget;
    };
    expect(await readBudget()).toEqual({ spent_usd: 0, budget_usd: 2.5 });
    const midnight = Date.parse("2026-03-18T00:00:00Z");
    await countAiCost(database, { costUsd: 9, endedAt: new Date(midnight - 1) });
    await countAiCost(database, { costUsd: 0.75, endedAt: new Date(midnight) });
    await countAiCost(database, { costUsd: 0.5, endedAt: NOW });
    expect(await readBudget()).toEqual({ spent_usd: 1.25, budget_usd: 2.5 });
    await limited.stop();
  });

  it("lists the users with the most analyses of today, and the limit", async () => {
    const { database } = server;
    const withAnalyses = (day: string, count: number) =>
      createUser(database, { approved: true, analyses: { day, count } });
    const [few, , many] = [
      await withAnalyses("2026-03-18", 2),
      await withAnalyses("2026-03-17", 900),
      await withAnalyses("2026-03-18", 40),
    ];
    expect((await read()).analyses_today).toEqual({
      limit: 1_000,
      users: [
        { username: many.username, analyses: 40 },
        { username: few.username, analyses: 2 },
      ],
    });
  });

  it("is empty before the first signal", async () => {
    const { today, last_30_days } = await read();
    const nothing = { signals: 0, prompt_tokens: 0, cost_usd: null, by_model: [] };
    expect(today).toMatchObject(nothing);
    expect(last_30_days).toMatchObject(nothing);
  });

  it("reads its days from an index alone, and forgets after a year", async () => {
    const { signalUsages } = server.database;
    const plan = await signalUsages.collection
      .aggregate([
        { $match: { at: { $gte: new Date(0) } } },
        {
          $group: { _id: "$model", tokens: { $sum: "$promptTokens" }, cost: { $sum: "$costUsd" } },
        },
      ])
      .explain();
    const { queryPlanner } = planSchema.parse(plan);
    expect(JSON.stringify(queryPlanner.winningPlan)).toContain("PROJECTION_COVERED");
    const indexes = await signalUsages.collection.indexes();
    expect(indexes.map((index) => index.expireAfterSeconds)).toContain(365 * 86_400);
  });
});
