import { HOUR_MS } from "@shared/contract/constants.ts";
import { performanceQuerySchema } from "@shared/contract/performance.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { MarketAnalysisRecord } from "@shared/database/models/market-analysis.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { createUser } from "@shared/testing/factories.ts";
import { type Bar, bars, NOON } from "@shared/testing/made-market.ts";
import { createSignals, WAIT_ANALYSIS } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import type { Types } from "mongoose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readPerformance } from "../../../server/src/modules/record/performance.ts";
import { updatePerformanceStats } from "../record/performance-stats.ts";
import { scriptedMarket } from "../testing/fakes.ts";
import { CandleArchive } from "./candle-archive.ts";
import { firstLookAt, judgeWaits } from "./judge-waits.ts";

const CALM: Bar = [100, 101, 99, 100];
const RISE: Bar = [100, 111, 99, 110];
const logger = createLogger({ service: "test", level: "silent" });
const madeAt = new Date(NOON);
const rejectedTrade = { side: "BUY", entry: 100, stopLoss: 95, takeProfit: 110, holdCandles: 20 };
const FIRST_LOOK = firstLookAt("1h", madeAt).getTime();

let database: Database;
beforeAll(async () => {
  database = await openDatabase({ uri: testDatabaseUri() });
});
afterAll(() => database.close());
beforeEach(async () => {
  await Promise.all([
    database.signals.deleteMany({}),
    database.marketAnalyses.deleteMany({}),
    database.performanceDays.deleteMany({}),
    database.performanceStates.deleteMany({}),
  ]);
});

async function storeWait(rejected: object): Promise<Types.ObjectId> {
  const user = await createUser(database, { approved: true });
  const { source } = WAIT_ANALYSIS;
  const known = { data: "live", price: 100, last_candle_at: madeAt.toISOString() } as const;
  const analysis = { ...WAIT_ANALYSIS, source: { ...source, ...known } };
  const [signal] = await createSignals(database, user, { finishedAt: madeAt, analysis });
  if (!signal) throw new Error("The WAIT was not stored.");
  const { analysisId: _id } = signal;
  const judgeAt = new Date(FIRST_LOOK);
  await database.marketAnalyses.updateOne(
    { _id },
    { $set: { timeframe: "1h", rejectedTrade: rejected, judgeAt } },
  );
  return _id;
}

/** Judges at a time at which the market has shown these hours since the WAIT. */
function judge(hours: readonly Bar[], now = NOON + hours.length * HOUR_MS) {
  const market = scriptedMarket({ "1h": bars([...hours]) }, now);
  const archive = new CandleArchive({ live: market, replay: undefined });
  const abort = new AbortController().signal;
  const tradingCosts = DEFAULT_TRADING_COSTS;
  return judgeWaits({ database, logger, archive, tradingCosts, abort, now: () => new Date(now) });
}

const stored = (_id: Types.ObjectId): Promise<MarketAnalysisRecord | null> =>
  database.marketAnalyses.findById(_id).lean();

async function measured() {
  const now = () => new Date(NOON + 48 * HOUR_MS);
  await updatePerformanceStats({ database, logger, now });
  return readPerformance({ database, now }, performanceQuerySchema.parse({}));
}

const calm = (count: number) => Array.from({ length: count }, () => CALM);

describe("the trade that a WAIT rejected", () => {
  it("is resolved like a trade, but is a figure of its own", async () => {
    const id = await storeWait(rejectedTrade);
    expect((await measured()).waits).toMatchObject({ judged: 0, not_filled: 0 });
    expect(await judge([CALM, RISE, ...calm(10)])).toBe(1);
    const wait = await stored(id);
    expect(wait?.rejectedResolution).toMatchObject({
      outcome: "WIN",
      reason: "target",
      // (100 + 110) × (0.005 % + 0.05 %) = 0.1155, of a risk of 5.
      r_multiple: 1.9769,
    });
    expect(wait).not.toHaveProperty("outcome");
    expect(wait).not.toHaveProperty("judgeAt");
    const { counts, trades, total_r: total, waits } = await measured();
    expect(waits).toMatchObject({ judged: 1, not_filled: 0, total_r: expect.closeTo(1.9769, 9) });
    expect({ trades, total, decided: counts.decided, waits: counts.waits }).toEqual({
      trades: 0,
      total: 0,
      decided: 0,
      waits: 1,
    });
    expect(await judge(calm(24))).toBe(0);
  });

  it("is looked at again, later each time, while it is open, and ends at its hold limit", async () => {
    const id = await storeWait(rejectedTrade);
    expect(await judge(calm(11))).toBe(0);
    expect((await stored(id))?.judgeAt).toEqual(new Date(FIRST_LOOK));
    expect(await judge(calm(12))).toBe(0);
    expect((await stored(id))?.judgeAt).toEqual(new Date(NOON + 18 * HOUR_MS));
    expect(await judge(calm(18))).toBe(0);
    expect(await judge(calm(27))).toBe(1);
    expect((await stored(id))?.rejectedResolution).toMatchObject({
      outcome: "EXPIRED",
      reason: "hold-over",
    });
  });

  it("is counted as not filled where the price never reached its entry", async () => {
    await storeWait({ ...rejectedTrade, entry: 97, stopLoss: 92 });
    expect(await judge(calm(12))).toBe(1);
    expect((await measured()).waits).toMatchObject({ judged: 0, not_filled: 1, total_r: 0 });
  });

  it("is given up where its market has no candles any more", async () => {
    const id = await storeWait(rejectedTrade);
    expect(await judge(calm(3), NOON + 2_001 * HOUR_MS)).toBe(0);
    expect(await stored(id)).not.toHaveProperty("judgeAt");
  });
});
