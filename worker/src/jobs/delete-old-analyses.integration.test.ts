import { text } from "node:stream/consumers";
import { DAY_MS } from "@shared/contract/constants.ts";
import {
  performanceExportQuerySchema,
  performanceQuerySchema,
} from "@shared/contract/performance.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { MarketAnalysisRecord } from "@shared/database/models/market-analysis.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { verifyDatabase } from "@shared/domain/ledger.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { createUser } from "@shared/testing/factories.ts";
import {
  createSignals,
  pendingTrade,
  resolvedTrade,
  WAIT_ANALYSIS,
} from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { exportTrades, readPerformance } from "../../../server/src/modules/record/performance.ts";
import { appendRecords } from "../record/append-records.ts";
import { updatePerformanceStats } from "../record/performance-stats.ts";
import { deleteOldAnalyses } from "./delete-old-analyses.ts";

const NOW = new Date("2027-06-15T03:30:00Z");
const RETENTION_DAYS = 365;
const OLD = 400;
const COLLECTIONS = [
  "signals",
  "marketAnalyses",
  "analysisCandles",
  "ledger",
  "ledgerReveals",
  "ledgerHeads",
  "performanceDays",
  "performanceStates",
] as const;
const now = () => NOW;
const ago = (days: number) => new Date(NOW.getTime() - days * DAY_MS);
const logger = createLogger({ service: "test", level: "silent" });

describe("old analyses", () => {
  let database: Database;
  let user: UserRecord;
  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
    user = await createUser(database, { approved: true });
  });
  beforeEach(() =>
    Promise.all(COLLECTIONS.map((name) => database[name].collection.deleteMany({}))),
  );
  afterAll(() => database.close());

  const wait = (days: number) => {
    const at = ago(days);
    const analysis = {
      ...WAIT_ANALYSIS,
      source: { ...WAIT_ANALYSIS.source, data: "live" as const },
    };
    return { analysis, createdAt: at, updatedAt: at, finishedAt: at };
  };
  const win = (days: number) =>
    resolvedTrade({ outcome: "WIN", at: ago(days), resolvedAt: ago(days) });

  async function store(
    fields: NonNullable<Parameters<typeof createSignals>[2]>,
    { isUsed }: { isUsed: boolean },
  ): Promise<SignalRecord> {
    const market: Partial<MarketAnalysisRecord> = { provenance: { prompt: "?" }, ...fields.market };
    const [signal] = await createSignals(database, user, { ...fields, market });
    if (!signal) throw new Error("no signal was stored");
    if (!isUsed) await database.signals.deleteOne({ _id: signal._id });
    return signal;
  }

  async function record(): Promise<void> {
    while ((await appendRecords({ database, now })) > 0);
    await updatePerformanceStats({ database, logger, now });
  }

  const run = (retentionDays = RETENTION_DAYS) =>
    deleteOldAnalyses({ database, now, retentionDays, abort: new AbortController().signal });

  const find = async ({ analysisId }: SignalRecord) => ({
    analysis: await database.marketAnalyses.findById(analysisId).lean(),
    candles: await database.analysisCandles.findById(analysisId).lean(),
  });

  it("go with their candles if no signal refers to them", async () => {
    const gone = await store(wait(OLD), { isUsed: false });
    const failed = await store({ ...wait(OLD), status: "failed" }, { isUsed: false });
    const used = await store(wait(OLD), { isUsed: true });
    const recent = await store(wait(300), { isUsed: false });
    await record();
    expect(await run()).toEqual({ deleted: 2, reduced: 0 });
    expect(await find(gone)).toEqual({ analysis: null, candles: null });
    expect((await find(failed)).analysis).toBeNull();
    for (const kept of [used, recent]) {
      const { analysis, candles } = await find(kept);
      expect(analysis).toHaveProperty("provenance");
      expect(candles).not.toBeNull();
    }
    expect(await run()).toEqual({ deleted: 0, reduced: 0 });
  });

  it("of a trade keep what the public record shows, but not what only reproduce needs", async () => {
    const unused = await store(win(OLD), { isUsed: false });
    const used = await store(win(OLD), { isUsed: true });
    await record();
    expect(await run()).toEqual({ deleted: 0, reduced: 1 });
    const { analysis, candles } = await find(unused);
    expect(analysis).toMatchObject({ outcome: "WIN", result: { analysis: { entry: 100 } } });
    expect(analysis).not.toHaveProperty("provenance");
    expect(candles).toBeNull();
    expect((await find(used)).candles).not.toBeNull();
  });

  it("leave statistics, export and ledger as they were", async () => {
    for (const days of [OLD, OLD + 1, 200]) {
      await store(win(days), { isUsed: false });
      await store(wait(days), { isUsed: false });
    }
    await record();
    const read = async () => ({
      performance: await readPerformance(
        { database, now },
        performanceQuerySchema.parse({ period: "all" }),
      ),
      trades: await text(
        exportTrades({ database, now }, performanceExportQuerySchema.parse({ period: "all" })),
      ),
      ledger: await verifyDatabase(database, { kept: [] }),
    });
    const before = await read();
    expect(before).toMatchObject({ performance: { counts: { decided: 3, waits: 3 } } });
    expect(await run()).toEqual({ deleted: 2, reduced: 2 });
    await updatePerformanceStats({ database, logger, now });
    expect(await read()).toEqual(before);
    expect(before.ledger.fault).toBeNull();
  });

  it("stay while they are not in the ledger or not counted", async () => {
    const signal = await store(wait(OLD), { isUsed: false });
    expect(await run()).toEqual({ deleted: 0, reduced: 0 });
    expect((await find(signal)).analysis).not.toBeNull();
  });

  it("stay from the day on which an open trade was made, whose end is counted with them", async () => {
    await store(pendingTrade({ at: ago(OLD) }), { isUsed: true });
    const sameDay = await store(wait(OLD), { isUsed: false });
    const earlier = await store(wait(OLD + 1), { isUsed: false });
    await record();
    expect(await run()).toEqual({ deleted: 1, reduced: 0 });
    expect((await find(sameDay)).analysis).not.toBeNull();
    expect((await find(earlier)).analysis).toBeNull();
  });

  it("stay from the day of a WAIT whose rejected trade has not ended", async () => {
    const open = await store({ ...wait(OLD), market: { judgeAt: NOW } }, { isUsed: false });
    const sameDay = await store(wait(OLD), { isUsed: false });
    const earlier = await store(wait(OLD + 1), { isUsed: false });
    await record();
    expect(await run()).toEqual({ deleted: 1, reduced: 0 });
    expect((await find(open)).analysis).not.toBeNull();
    expect((await find(sameDay)).analysis).not.toBeNull();
    expect((await find(earlier)).analysis).toBeNull();
  });

  it("are found by an index", async () => {
    const query = database.marketAnalyses
      .find({ status: { $in: ["completed", "failed"] }, finishedAt: { $lt: NOW } })
      .sort({ finishedAt: 1 });
    expect(JSON.stringify(await query.explain("queryPlanner"))).toContain(
      '"indexName":"ended_finished"',
    );
  });
});
