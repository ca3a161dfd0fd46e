import { HOUR_MS } from "@shared/contract/constants.ts";
import type { Analysis } from "@shared/contract/signal.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import { insertAll } from "@shared/testing/factories.ts";
import {
  analysisOf,
  newSignal,
  pendingTrade,
  resolvedTrade,
} from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { Types } from "mongoose";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { calibratedConfidence } from "../signals/run-analysis.ts";
import { stateSignals } from "../testing/fakes.ts";
import { refitCalibrations, updatePerformanceStats } from "./performance-stats.ts";

const RULES = { data: "live", analyst: "rules", version: "rules/1", model: "rules" };
const somebody = { _id: new Types.ObjectId() };
/** 600 signals, one resolved each hour; half of what the analyst says comes true. */
const record = stateSignals({ seed: 5, count: 600, trueChance: (stated) => stated / 2 });
const resolvedAt = (index: number) => new Date(record[index]?.resolvedAt ?? Number.NaN);

let database: Database;
beforeAll(async () => {
  database = await openDatabase({ uri: testDatabaseUri() });
});
afterEach(async () => {
  const names = [
    "signals",
    "market_analyses",
    "performance_days_with_waits",
    "performance_state",
    "calibrations",
  ];
  await Promise.all(names.map((name) => database.connection.collection(name).deleteMany({})));
});
afterAll(() => database.close());

/** Stores some signals of the record, and measures at `now`. */
async function storeAndFit(range: { from: number; to: number; now: Date }) {
  await storeRecord(range);
  return fitAt(range.now);
}

function storeRecord({ from, to }: { from: number; to: number }) {
  const trades = record.slice(from, to).map(({ resolvedAt: time, stated, won }) => {
    const at = new Date(time);
    const outcome = won ? "WIN" : "LOSS";
    const { market, ...fields } = resolvedTrade({
      outcome,
      at,
      resolvedAt: at,
      confidence: stated * 100,
    });
    return { ...analysisOf({ ...newSignal(somebody), ...fields }), ...market };
  });
  return insertAll(database.marketAnalyses, trades);
}

async function fitAt(now: Date) {
  const deps = { database, logger: pino({ enabled: false }), now: () => now };
  await updatePerformanceStats(deps);
  return refitCalibrations(deps);
}

function madeAt(
  at: Date,
  source: Partial<Analysis["source"]> = {},
): { analysis: Analysis; at: Date } {
  const { analysis } = pendingTrade({ at, confidence: 80, source });
  if (!analysis) throw new Error("a trade has an analysis");
  return { analysis, at };
}

describe("the calibrated confidence of a new signal", () => {
  it("is unknown until 300 signals of its analyst are resolved", async () => {
    expect(await storeAndFit({ from: 0, to: 299, now: resolvedAt(299) })).toEqual([]);
    expect(await calibratedConfidence(database, madeAt(resolvedAt(299)))).toBeNull();
    const fitted = await storeAndFit({ from: 299, to: 300, now: resolvedAt(301) });
    expect(fitted).toEqual([RULES]);
    const calibrated = await calibratedConfidence(database, madeAt(resolvedAt(301)));
    expect(calibrated).toBeGreaterThan(32);
    expect(calibrated).toBeLessThan(48);
  });

  it("comes from the newest fit that lies before it, as does all that was fitted", async () => {
    await storeAndFit({ from: 0, to: 400, now: resolvedAt(400) });
    const then = madeAt(new Date(resolvedAt(400).getTime() + HOUR_MS / 2));
    const before = await calibratedConfidence(database, then);
    expect(before).not.toBeNull();
    await storeAndFit({ from: 400, to: 600, now: new Date(resolvedAt(599).getTime() + HOUR_MS) });
    expect(await database.calibrations.countDocuments()).toBe(2);
    expect(await calibratedConfidence(database, then)).toBe(before);
    const tooEarly = madeAt(resolvedAt(399));
    expect(await calibratedConfidence(database, tooEarly)).toBeNull();
    const latest = await database.calibrations.findOne().sort({ fittedAt: -1 }).lean();
    expect(latest).toMatchObject({ ...RULES, count: 600, fittedUntil: resolvedAt(599) });
  });

  it("says nothing of another version, another model, another analyst, demo data or a WAIT", async () => {
    await storeAndFit({ from: 0, to: 400, now: resolvedAt(400) });
    const at = resolvedAt(402);
    const ask = (source: Partial<Analysis["source"]>) =>
      calibratedConfidence(database, madeAt(at, source));
    expect(await ask({})).not.toBeNull();
    expect(await ask({ analyst_version: "rules/2" })).toBeNull();
    expect(await ask({ model: "another" })).toBeNull();
    expect(await ask({ analyst: "openai" })).toBeNull();
    expect(await ask({ data: "replay" })).toBeNull();
    const { analysis } = madeAt(at);
    const wait: Analysis = { ...analysis, final_signal: "WAIT" };
    expect(await calibratedConfidence(database, { analysis: wait, at })).toBeNull();
  });

  it("is fitted again after 50 more, or after an hour if there are any", async () => {
    const start = resolvedAt(599).getTime() + HOUR_MS;
    const later = (minutes: number) => new Date(start + minutes * 60_000);
    expect(await storeAndFit({ from: 0, to: 300, now: later(0) })).toHaveLength(1);
    expect(await storeAndFit({ from: 300, to: 349, now: later(1) })).toEqual([]);
    expect(await storeAndFit({ from: 349, to: 350, now: later(2) })).toHaveLength(1);
    expect(await storeAndFit({ from: 350, to: 351, now: later(3) })).toEqual([]);
    expect(await fitAt(later(61))).toEqual([]);
    expect(await fitAt(later(62))).toHaveLength(1);
    expect(await fitAt(later(200))).toEqual([]);
  });
});
