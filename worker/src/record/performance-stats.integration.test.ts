import { DAY_MS } from "@shared/contract/constants.ts";
import { type PerformanceQuery, performanceQuerySchema } from "@shared/contract/performance.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import { commit } from "@shared/outbox/commit.ts";
import {
  createSignals,
  pendingTrade,
  resolvedTrade,
  WAIT_ANALYSIS,
} from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { Types } from "mongoose";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { readPerformance } from "../../../server/src/modules/record/performance.ts";
import { deleteSignals } from "../../../server/src/modules/users/clear-history.ts";
import { updatePerformanceStats } from "./performance-stats.ts";

const NOW = new Date("2026-11-20T12:00:00Z");
const ago = (days: number) => new Date(NOW.getTime() - days * DAY_MS);
const somebody = { _id: new Types.ObjectId() };

let database: Database;
beforeAll(async () => {
  database = await openDatabase({ uri: testDatabaseUri() });
});
afterEach(async () => {
  const names = [
    "signals",
    "market_analyses",
    "performance_days_with_waits",
    "performance_days",
    "performance_state",
    "calibrations",
  ];
  await Promise.all(names.map((name) => database.connection.collection(name).deleteMany({})));
});
afterAll(() => database.close());

const refresh = (now = NOW) =>
  updatePerformanceStats({ database, logger: pino({ enabled: false }), now: () => now });
const read = (query: Partial<PerformanceQuery> = {}, now = NOW) =>
  readPerformance({ database, now: () => now }, performanceQuerySchema.parse(query));
const store = (fields: Parameters<typeof createSignals>[2]) =>
  createSignals(database, somebody, fields);
const win = (days: number) =>
  resolvedTrade({ outcome: "WIN", at: ago(days), resolvedAt: ago(days) });
const loss = (days: number) =>
  resolvedTrade({ outcome: "LOSS", at: ago(days), resolvedAt: ago(days) });

describe("the record of analyses", () => {
  it("is empty before the first analysis", async () => {
    expect(await refresh()).toEqual([]);
    expect(await read()).toMatchObject({
      updated_at: NOW.toISOString(),
      counts: { decided: 0, pending: 0 },
      win_rate: null,
      equity: [],
      recorded: { symbols: [], analysts: [] },
    });
  });

  it("is empty while it is measured for the first time", async () => {
    await store(win(1));
    const states = database.performanceStates.collection;
    const start: typeof states.findOneAndUpdate = states.findOneAndUpdate.bind(states);
    const seen: unknown[] = [];
    vi.spyOn(states, "findOneAndUpdate").mockImplementationOnce(async (...args) => {
      const started = await start(...args);
      seen.push(await read());
      return started;
    });
    await refresh();
    expect(seen).toMatchObject([
      { updated_at: null, counts: { decided: 0 }, recorded: { symbols: [], analysts: [] } },
    ]);
    expect((await read()).counts.wins).toBe(1);
  });

  it("counts every kind of end", async () => {
    await store({ count: 20, ...win(1) });
    await store({ count: 15, ...loss(2) });
    const expired = { outcome: "EXPIRED", at: ago(3), resolvedAt: ago(2) } as const;
    await store({ count: 2, ...resolvedTrade({ ...expired, r: 0.5 }) });
    await store({ count: 3, ...resolvedTrade({ ...expired, reason: "not-filled" }) });
    await store({ count: 4, ...pendingTrade({ at: ago(0) }) });
    const live = { ...WAIT_ANALYSIS, source: { ...WAIT_ANALYSIS.source, data: "live" } } as const;
    await store({ count: 5, finishedAt: ago(1), analysis: live });
    const none = { ...live.source, data: "none", analyst: "none" } as const;
    await store({ status: "failed", finishedAt: ago(1), analysis: { ...live, source: none } });
    await store({ count: 7, status: "running" });
    await refresh();
    const record = await read();
    expect(record.counts).toEqual({
      decided: 35,
      wins: 20,
      losses: 15,
      expired: 2,
      not_filled: 3,
      pending: 4,
      waits: 5,
      failed: 1,
    });
    expect(record.trades).toBe(37);
    expect(record.total_r).toBeCloseTo(20 * 2 - 15 + 2 * 0.5, 9);
    expect(record.no_edge_rate).toBeCloseTo(1 / 3, 9);
  });

  it("gives intervals for trades of several days, with expired ones counted by their exit", async () => {
    for (const days of [1, 2, 3, 4, 5, 6]) {
      await store({ count: 4, ...(days % 3 === 0 ? loss(days) : win(days)) });
      const expired = { outcome: "EXPIRED", at: ago(days), resolvedAt: ago(days) } as const;
      await store({ count: 2, ...resolvedTrade({ ...expired, r: 0.5 }) });
    }
    await refresh();
    const { lift, win_rate: rate, expectancy_r: mean, effective_trades: effective } = await read();
    // Of 36 trades 16 won; 12 were closed half way between stop and target, which lie 3 R apart.
    expect(lift?.value).toBeCloseTo((16 + 12 * 0.5) / 36 - 1 / 3, 9);
    expect(lift?.low).toBeLessThan(0);
    expect(lift?.high).toBeGreaterThan(0.5);
    expect(rate).toBeNull();
    expect(mean?.value).toBeCloseTo((16 * 2 - 8 + 12 * 0.5) / 36, 9);
    expect(effective).toBeLessThan(12);
  });

  it("never adds demo data to live data", async () => {
    await store({ count: 3, ...win(1) });
    const demo = { outcome: "LOSS", at: ago(1), resolvedAt: ago(1) } as const;
    await store({ count: 5, ...resolvedTrade({ ...demo, source: { data: "replay" } }) });
    await refresh();
    expect((await read()).counts).toMatchObject({ wins: 3, losses: 0 });
    expect((await read({ data: "replay" })).counts).toMatchObject({ wins: 0, losses: 5 });
  });

  it("is filtered by market, class, timeframe, analyst, version and period", async () => {
    const openai = { analyst: "openai", analyst_version: "openai/7", model: "large" } as const;
    const euro = { outcome: "WIN", at: ago(40), resolvedAt: ago(40), source: openai } as const;
    await store({ count: 2, symbol: "EUR/USD", timeframe: "4h", ...resolvedTrade(euro) });
    await store({ count: 3, symbol: "PEPE/USDT", ...win(2) });
    await refresh();
    const wins = async (query: Partial<PerformanceQuery>) => (await read(query)).counts.wins;
    expect(await wins({})).toBe(5);
    expect(await wins({ symbol: "EUR/USD" })).toBe(2);
    expect(await wins({ class: "forex" })).toBe(2);
    expect(await wins({ class: "crypto" })).toBe(3);
    expect(await wins({ symbol: "EUR/USD", class: "crypto" })).toBe(0);
    expect(await wins({ timeframe: "4h" })).toBe(2);
    expect(await wins({ analyst: "rules" })).toBe(3);
    expect(await wins({ analyst: "openai", version: "openai/7" })).toBe(2);
    expect(await wins({ analyst: "openai", version: "openai/8" })).toBe(0);
    expect(await wins({ period: "7d" })).toBe(3);
    expect(await wins({ period: "90d", class: "forex", timeframe: "4h" })).toBe(2);
    expect((await read()).recorded).toEqual({
      symbols: ["EUR/USD", "PEPE/USDT"],
      analysts: [
        { analyst: "openai", version: "openai/7", model: "large" },
        { analyst: "rules", version: "rules/1", model: "rules" },
      ],
    });
  });

  it("is kept for each model, whose change starts a new one", async () => {
    const of = (model: string, analyst_version = "openai/7") =>
      ({ analyst: "openai", analyst_version, model }) as const;
    const trade = (source: ReturnType<typeof of>) =>
      resolvedTrade({ outcome: "WIN", at: ago(2), resolvedAt: ago(1), source });
    await store({ count: 2, ...trade(of("large")) });
    await store({ count: 3, ...trade(of("larger")) });
    await store({ count: 4, ...trade(of("larger", "openai/8")) });
    await store({ count: 5, ...win(2) });
    await refresh();
    const wins = async (query: Partial<PerformanceQuery>) => (await read(query)).counts.wins;
    const openai = { analyst: "openai" } as const;
    expect(await wins({ model: "large" })).toBe(2);
    expect(await wins({ model: "larger" })).toBe(7);
    expect(await wins({ ...openai, model: "larger" })).toBe(7);
    expect(await wins({ ...openai, version: "openai/7", model: "larger" })).toBe(3);
    expect(await wins({ ...openai, version: "openai/7" })).toBe(5);
    expect(await wins({ analyst: "rules", model: "larger" })).toBe(0);
    expect(await wins({ symbol: "BTC/USDT", timeframe: "1h", model: "larger" })).toBe(7);
    expect(await wins({})).toBe(14);
  });

  it("says what an analysis of each model costs, and how long it takes", async () => {
    const source = { analyst: "openai", analyst_version: "openai/7", model: "large" } as const;
    const provenance = (seconds: number, costUsd: number | null) => ({
      usage: { promptTokens: 3_000, completionTokens: 500, costUsd },
      durationsMs: { fetching: 5, analysing: 1_000 * seconds, checking: 0, sizing: 0 },
    });
    const wait = {
      ...WAIT_ANALYSIS,
      source: { ...WAIT_ANALYSIS.source, data: "live", ...source },
    } as const;
    await store({
      ...resolvedTrade({ outcome: "WIN", at: ago(2), resolvedAt: ago(1), source }),
      market: { provenance: provenance(4, 0.01) },
    });
    await store({
      finishedAt: ago(1),
      analysis: wait,
      market: { provenance: provenance(9, 0.03) },
    });
    await store({
      finishedAt: ago(0),
      analysis: wait,
      market: { provenance: provenance(6, null) },
    });
    await store({ count: 2, ...win(1) });
    await refresh();
    const figures = { prompt_tokens: 3_000, completion_tokens: 500, latency_ms: 6_000 };
    const none = { prompt_tokens: null, completion_tokens: null, cost_usd: null, latency_ms: null };
    const rules = { analyst: "rules", version: "rules/1", model: "rules", analyses: 2, ...none };
    const { models } = await read();
    expect(models).toEqual([
      {
        ...{ analyst: "openai", version: "openai/7", model: "large" },
        ...{ analyses: 3, ...figures, cost_usd: expect.closeTo(0.02, 9) },
      },
      rules,
    ]);
    expect(await read({ model: "large" })).toMatchObject({ ...figures, models: [{ analyses: 3 }] });
    expect(await read({ analyst: "rules" })).toMatchObject({ ...none, models: [rules] });
    expect((await read({ class: "forex" })).models).toEqual([]);
  });

  it("is built from the beginning after the version without models, whose days are deleted", async () => {
    const days = database.connection.collection("performance_days");
    await store({ count: 3, ...win(9) });
    await days.insertOne({ series: "live|*|*|*|*", day: "2026-11-11", builtAt: ago(1) });
    await database.performanceStates.insertOne({ _id: "performance", until: NOW, recorded: [] });
    await refresh();
    expect((await read({ model: "rules" })).counts.wins).toBe(3);
    expect(await days.countDocuments()).toBe(0);
    expect(await database.performanceStates.distinct("_id")).toEqual(["performance-with-waits"]);
  });

  it("starts a period at midnight, so many days ago", async () => {
    await store(
      resolvedTrade({ outcome: "WIN", at: ago(9), resolvedAt: new Date("2026-11-14T00:00:00Z") }),
    );
    await store(
      resolvedTrade({ outcome: "LOSS", at: ago(9), resolvedAt: new Date("2026-11-13T23:59:59Z") }),
    );
    await refresh();
    const week = await read({ period: "7d" });
    expect(week.since).toBe("2026-11-14");
    expect(week.counts).toMatchObject({ wins: 1, losses: 0 });
  });

  it("follows what happened since: a pending trade that is resolved is pending no more", async () => {
    const [signal] = await store(pendingTrade({ at: ago(2) }));
    await refresh(ago(1));
    expect((await read()).counts).toMatchObject({ pending: 1, losses: 0 });
    const { market } = resolvedTrade({ outcome: "LOSS", at: ago(2), resolvedAt: NOW });
    const fields = { ...market, updatedAt: NOW };
    await database.marketAnalyses.updateOne({ _id: signal?.analysisId }, { $set: fields });
    expect(await refresh(new Date(NOW.getTime() + 30_000))).toContain("2026-11-20");
    expect((await read()).counts).toMatchObject({ pending: 0, losses: 1 });
  });

  it("counts what a worker wrote with a clock that is behind, or committed late", async () => {
    const [signal] = await store(pendingTrade({ at: ago(2) }));
    await refresh();
    const wrongMs = 90_000;
    const behind = new Date(NOW.getTime() - wrongMs);
    const { market } = resolvedTrade({ outcome: "LOSS", at: ago(2), resolvedAt: behind });
    const fields = { ...market, updatedAt: ago(1) };
    await database.marketAnalyses.updateOne({ _id: signal?.analysisId }, { $set: fields });
    await store({ ...win(1), updatedAt: ago(1) });
    await refresh(new Date(NOW.getTime() + 30_000));
    expect((await read()).counts).toMatchObject({ wins: 1, losses: 1, pending: 0 });
  });

  it("is not set back by a run that was suspended before it wrote", async () => {
    await store({ count: 2, ...win(1) });
    const logger = pino({ enabled: false });
    let goOn: () => void = () => undefined;
    const suspended = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const days = database.performanceDays;
    const isReady = new Promise<void>((resolve) => {
      const bulkWrite: typeof days.bulkWrite = days.bulkWrite.bind(days);
      vi.spyOn(days, "bulkWrite").mockImplementationOnce(async (...args) => {
        resolve();
        await suspended;
        return bulkWrite(...args);
      });
    });
    const earlier = updatePerformanceStats({ database, logger, now: () => NOW });
    const failing = expect(earlier).rejects.toThrow("Another run measures the performance.");
    await isReady;
    await store({ count: 3, ...win(1) });
    await refresh();
    goOn();
    await failing;
    expect((await read()).counts.wins).toBe(5);
    expect(await refresh()).toEqual([]);
  });

  it("builds only the days on which something changed", async () => {
    await store({ count: 2, ...win(9) });
    await store({ count: 2, ...win(1) });
    expect(await refresh(ago(0.5))).toEqual(["2026-11-11", "2026-11-19"]);
    expect(await refresh()).toEqual([]);
    await store(loss(0));
    expect(await refresh()).toEqual(["2026-11-20"]);
    expect((await read()).counts).toMatchObject({ wins: 4, losses: 1 });
  });

  it("is not changed by 1,000 copies of an analysis, by deleted signals, or by being built again", async () => {
    const [won] = await store({ count: 6, ...win(3) });
    await store({ count: 7, ...loss(2) });
    await store({ count: 2, ...pendingTrade({ at: ago(1) }) });
    await refresh();
    const before = await read();
    if (!won) throw new Error("no signal was stored");
    const { analysisId } = won;
    await store({ count: 1_000, ...win(0), analysisId, withAnalysis: false });
    await refresh();
    expect(await read()).toEqual(before);
    const signalIds = (await database.signals.find().lean()).map(({ _id }) => _id);
    await commit(database, { lockKeys: "test" }, (uow) =>
      deleteSignals(database, uow, somebody._id, signalIds),
    );
    expect(await database.signals.countDocuments()).toBe(0);
    await database.performanceStates.deleteMany({});
    await database.performanceDays.deleteMany({});
    await refresh();
    expect(await read()).toEqual(before);
  });

  it("leaves out what is no valid analysis, says so, and counts the rest", async () => {
    const lines: string[] = [];
    const logger = pino({ level: "warn" }, { write: (line) => lines.push(line) });
    await store(win(1));
    const [broken] = await store(win(1));
    const change = { $set: { "result.analysis.entry": null } };
    await database.marketAnalyses.updateOne({ _id: broken?.analysisId }, change);
    await updatePerformanceStats({ database, logger, now: () => NOW });
    expect((await read()).counts.wins).toBe(1);
    expect(lines.join("")).toContain(String(broken?.analysisId));
    expect(await updatePerformanceStats({ database, logger, now: () => NOW })).toEqual([]);
    expect(await database.marketAnalyses.countDocuments({ countedOn: null })).toBe(0);
  });
});
