import { HOUR_MS } from "@shared/contract/constants.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { signalRequestSchema } from "@shared/contract/signal.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import { newSignalId, queueSignal } from "@shared/domain/queue-signal.ts";
import { commit } from "@shared/outbox/commit.ts";
import { createUser } from "@shared/testing/factories.ts";
import { startRun } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEvidence } from "../analysis/evidence/evidence-pack.ts";
import { NO_EVENTS } from "../economic-events/economic-calendar.ts";
import type { FundingRate } from "../market-data/derivatives.ts";
import type { CandleSeries } from "../market-data/market-data.ts";
import {
  adviceOf,
  liveSeries,
  memoryMarketData,
  recordedCandles,
  scriptedAnalyst,
  silentLogger,
} from "../testing/fakes.ts";
import { createWorkerMetrics } from "../worker-metrics.ts";
import { runAnalysis } from "./run-analysis.ts";

const recorded = recordedCandles("BTC-USDT.1h").slice(0, 300);
const lastOpened = Math.floor(Date.now() / HOUR_MS - 1) * HOUR_MS;
const candles = recorded.map((candle, index) => ({
  ...candle,
  time: lastOpened - (recorded.length - 1 - index) * HOUR_MS,
}));
const live = liveSeries(candles);
const price = candles.at(-1)?.close ?? Number.NaN;
const BUY = adviceOf({
  ...{ final_signal: "BUY", entry: price, stop_loss: price * 0.98, take_profit: price * 1.04 },
  hold_candles: 12,
});
const WAIT = adviceOf({
  ...{ final_signal: "WAIT", entry: null, stop_loss: null, take_profit: null },
});
const RATE: FundingRate = {
  ...{ value: -0.0125, hours: 4, knownAt: lastOpened, exchange: "binance" },
};

describe("a finished analysis", () => {
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
  });
  afterAll(() => database.close());

  async function analysisWith(given: {
    advice?: typeof BUY;
    rate?: FundingRate | null;
    series?: CandleSeries;
    blocks?: readonly string[];
  }) {
    const { advice = BUY, rate = RATE, series = live, blocks } = given;
    const user = await createUser(database, { approved: true });
    const id = newSignalId();
    const request = signalRequestSchema.parse({ symbol: "BTC/USDT", timeframe: "1h" });
    const signal = await commit(database, { lockKeys: id.toString() }, (uow) =>
      queueSignal(database, uow, { id, userId: user._id, request }),
    );
    const run = (await startRun(database, signal)) ?? expect.fail("the signal was not started");
    const marketData = memoryMarketData({ "BTC/USDT": series });
    const derivatives = { fundingRate: async () => rate, openInterest: async () => null };
    const all = createEvidence({ marketData, derivatives, events: NO_EVENTS, guard: "off" });
    const deps = {
      database,
      marketData,
      logger: silentLogger,
      analyst: scriptedAnalyst([advice]),
      metrics: createWorkerMetrics(),
      evidence: {
        guard: all.guard,
        gather: (...[market, abort]: Parameters<typeof all.gather>) =>
          all.gather(market, abort, blocks),
      },
      tradingCosts: DEFAULT_TRADING_COSTS,
      now: () => new Date(),
      shutdown: new AbortController().signal,
    };
    await runAnalysis(deps, run, deps.shutdown);
    // Others would join the same analysis.
    await database.marketAnalyses.updateOne({ _id: run._id }, { $unset: { key: 1 } });
    const { status, result, funding } =
      (await database.marketAnalyses.findById(run._id).lean()) ?? expect.fail("no analysis");
    expect(status).toBe("completed");
    expect(result?.analysis.final_signal).toBe(advice.final_signal);
    return funding;
  }

  it("of a trade keeps the funding rate that was known, also if the analyst was not given it", async () => {
    const stored = { percent: -0.0125, hours: 4 };
    expect(await analysisWith({})).toEqual(stored);
    expect(await analysisWith({ blocks: ["previous_day"] })).toEqual(stored);
  });

  it.each([
    ["for a WAIT", { advice: WAIT }],
    ["if none is known", { rate: null }],
    ["if it became known later", { rate: { ...RATE, knownAt: lastOpened + HOUR_MS + 1 } }],
    ["for demo data", { series: { ...live, data: "replay" as const } }],
  ])("keeps no funding rate %s", async (_, given) => {
    expect(await analysisWith(given)).toBeUndefined();
  });
});
