import {
  adminBenchSchema,
  type Bench,
  benchDetailsSchema,
  benchSchema,
} from "@shared/contract/analyst-bench.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { Types } from "mongoose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

const AT = new Date("2026-11-20T12:00:00Z");

const arm = (id: string, changes: Partial<Bench["arms"][number]> = {}): Bench["arms"][number] => ({
  ...{ id, label: `Arm ${id}`, analyst: "openai", model: `model-${id}`, version: "openai/1" },
  since: AT.toISOString(),
  ...{ analyses: 900, decided: 300, failed: 4 },
  expectancy_r: { value: 0.1, low: -0.05, high: 0.25 },
  ...{ edge: null, brier_skill: null, cost_per_analysis_usd: 0.01 },
  latency_ms: { p50: 1_200, p95: 4_000 },
  ...changes,
});

const BENCH: Bench = {
  arms: [arm("a"), arm("b")],
  pairs: [
    {
      ...{ a: "a", b: "b", common: 800, conclusive: true },
      difference_r: { value: 0.2, low: 0.1, high: 0.3 },
      difference_brier: { value: null, low: null, high: null },
    },
  ],
};

describe("the bench", () => {
  let server: TestServer;
  let token: string;
  beforeAll(async () => {
    server = await startTestServer({ databaseUri: testDatabaseUri() });
    const user = await createUser(server.database, { role: "admin", approved: true });
    token = signTokenFor(user, server.deps.settings);
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    const { benchSetups, benchReports, shadowAnalyses, benchSpending, analystChoices } =
      server.database;
    for (const model of [benchSetups, benchReports, shadowAnalyses, benchSpending, analystChoices])
      await model.collection.deleteMany({});
  });

  const setUp = async (budgetUsd: number | null = null) => {
    const { benchSetups, benchReports } = server.database;
    const common = { analyst: "openai" as const, version: "openai/1", isBaseline: false };
    const arms = ["a", "b"].map((id) => ({
      ...{ id, key: `${id}@1`, label: `Arm ${id}`, model: `model-${id}`, since: AT, ...common },
      mayBeAnalyst: id === "a",
    }));
    const markets = [{ symbol: "BTC/USDT", timeframe: "1h" as const }];
    const setup = { isDemo: false, arms, markets, budgetUsd, reportedAt: AT };
    await benchSetups.create({ _id: "setup", ...setup });
    const details = { is_demo: false, updated_at: AT.toISOString(), markets, arms: [], pairs: [] };
    await benchReports.create({ _id: "report", bench: BENCH, details, updatedAt: AT });
  };
  const read = async (path: string, as?: string) =>
    (await server.call(path, as ? { token: as } : {})).json();
  const admin = async () => adminBenchSchema.parse(await read("/admin/bench", token));

  it("has no arms and no pairs where none is configured", async () => {
    expect(await read("/bench")).toEqual({ arms: [], pairs: [] });
    expect(benchDetailsSchema.parse(await read("/bench/details")).arms).toEqual([]);
    expect(await admin()).toMatchObject({ is_configured: false, arms: [], analyst: null });
  });

  it("shows everyone what the workers measured", async () => {
    await setUp();
    expect(benchSchema.strict().parse(await read("/bench"))).toEqual(BENCH);
  });

  it("shows administrators which arm fails and why, and what was spent", async () => {
    await setUp(5);
    const { shadowAnalyses, benchSpending } = server.database;
    const made = (key: string, status: "completed" | "failed", hour: number) => ({
      ...{ _id: new Types.ObjectId(), key: `${key}|${hour}`, armKey: key, status },
      ...{ candleClosedAt: new Date(AT.getTime() + hour * 3_600_000), finishedAt: AT },
      provenance: status === "failed" ? { failure: "openai: bad key" } : {},
    });
    await shadowAnalyses.collection.insertMany([
      made("a@1", "failed", 0),
      made("a@1", "completed", 1),
      made("b@1", "completed", 0),
      made("b@1", "failed", 1),
    ]);
    const day = server.database.now().toISOString().slice(0, 10);
    const spent = { nanoUsd: 2e9, maxNanoUsd: 1e9, byArm: { a: 1.5e9 }, reserved: [] };
    await benchSpending.create({ _id: day, ...spent });
    const { arms, ...totals } = await admin();
    expect(totals).toMatchObject({ budget_usd_per_day: 5, spent_today_usd: 2 });
    expect(arms).toMatchObject([
      { id: "a", state: "running", failure: null, spent_today_usd: 1.5, may_be_analyst: true },
      { id: "b", state: "failing", failure: "openai: bad key", may_be_analyst: false },
    ]);
    await benchSpending.updateOne({ _id: day }, { $set: { nanoUsd: 5e9 } });
    expect((await admin()).arms.map(({ state }) => state)).toEqual(["budget", "budget"]);
  });

  it("makes an arm the analyst, and logs what was known then", async () => {
    await setUp();
    const choose = (id: string | null) =>
      server.call("/admin/bench/analyst", { method: "POST", token, json: { arm: id } });
    expect((await choose("a")).status).toBe(200);
    expect((await admin()).analyst).toBe("a");
    const [entry] = await server.database.securityLog
      .find({ type: "analyst:chosen" })
      .sort({ _id: -1 })
      .lean();
    expect(entry?.details).toEqual({
      ...{ arm: "a", model: "model-a", analyses: 900, decided: 300, failed: 4 },
      ...{ expectancy_r: 0.1, low: -0.05, high: 0.25 },
      ...{ better_than: "b", worse_than: "none", not_known: 0 },
    });
    expect((await choose(null)).status).toBe(200);
    expect((await admin()).analyst).toBeNull();
    for (const id of ["b", "unknown"]) expect((await choose(id)).status).toBe(404);
  });
});
