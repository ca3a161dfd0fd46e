import { MINUTE_MS } from "@shared/contract/constants.ts";
import type { Candle, Timeframe } from "@shared/contract/market-data.ts";
import { type Analysis, validUntil } from "@shared/contract/signal.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { presentHistoryItem, presentSignal } from "@shared/domain/present-signal.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { createUser } from "@shared/testing/factories.ts";
import { createSignals, WAIT_ANALYSIS } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { CandleSeries } from "../market-data/market-data.ts";
import { liveSeries, memoryMarketData } from "../testing/fakes.ts";
import { watchEntries } from "./entry-watch.ts";

const LAST_CANDLE_AT = Date.UTC(2026, 10, 20, 13);
/** Some minutes have closed since the last candle of the signal. */
const NOW = LAST_CANDLE_AT + 10 * MINUTE_MS;

describe("watching the entries of signals", () => {
  const logger = createLogger({ service: "test", level: "silent" });
  let database: Database;
  let user: UserRecord;

  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    await database.signals.deleteMany();
    await database.marketAnalyses.deleteMany();
    user = await createUser(database, { approved: true });
  });

  const watch = (series: Record<string, CandleSeries>, now = NOW) => {
    const marketData = memoryMarketData(series);
    const abort = new AbortController().signal;
    const round = watchEntries({ database, logger, marketData, now: () => new Date(now), abort });
    return round.then((result) => ({ ...result, asked: marketData.asked }));
  };
  const storeBuy = async (
    overrides: Parameters<typeof createSignals>[2] = {},
    analysis = buyAnalysis(),
  ) => {
    const [signal] = await createSignals(database, user, { analysis, ...overrides });
    if (!signal) throw new Error("no signal was stored");
    return signal;
  };
  const events = () => database.events.find({ stream: userStream(user._id) }).lean();
  const stored = async (signal: SignalRecord) => {
    const found = await database.signals.findById(signal._id).lean();
    if (!found) throw new Error("the signal is gone");
    return found;
  };

  it("notifies the user, once, that the price has left the zone, with the price and the time", async () => {
    const signal = await storeBuy();
    const market = { "BTC/USDT": liveSeries(closes([101, 106])) };
    expect(await watch(market)).toMatchObject({ left: 1, failedMarkets: [] });
    expect(await watch(market)).toMatchObject({ left: 0 });

    const left = { price: 106, at: "2026-11-20T13:02:00.000Z" };
    const found = await events();
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({
      name: "signal:entry-left",
      seq: 1,
      data: { signal_id: signal._id.toString(), ...left },
    });
    expect(presentSignal(await stored(signal)).entry_left).toEqual(left);
    expect(presentHistoryItem(await stored(signal)).entry_left).toEqual(left);
  });

  it("notifies once although several workers find out at the same time", async () => {
    await storeBuy();
    const market = { "BTC/USDT": liveSeries(closes([106])) };
    const rounds = await Promise.all([watch(market), watch(market), watch(market)]);
    expect(rounds.reduce((sum, { left }) => sum + left, 0)).toBe(1);
    expect(await events()).toHaveLength(1);
  });

  it("asks for each market once, however many signals stand on it", async () => {
    await storeBuy({ count: 20 });
    await storeBuy({ symbol: "ETH/USDT" });
    const series = liveSeries(closes([106]));
    const { asked, left } = await watch({ "BTC/USDT": series, "ETH/USDT": series });
    expect(asked.map(({ symbol, timeframe }) => `${symbol} ${timeframe}`).sort()).toEqual([
      "BTC/USDT 1m",
      "ETH/USDT 1m",
    ]);
    expect(left).toBe(21);
  });

  it("is not kept from the other markets by one that fails", async () => {
    await storeBuy({ symbol: "ADA/USDT" });
    const signal = await storeBuy();
    const round = await watch({ "BTC/USDT": liveSeries(closes([106])) });
    expect(round).toMatchObject({ left: 1, failedMarkets: ["ADA/USDT 1h memory"] });
    expect((await stored(signal)).entryLeft?.price).toBe(106);
  });

  it.each<{ name: string; signal: Partial<SignalRecord>; now?: number }>([
    { name: "a WAIT", signal: { analysis: WAIT_ANALYSIS } },
    { name: "a failed signal", signal: { status: "failed" } },
    {
      name: "a signal that is no longer valid",
      signal: {},
      now: validUntil({ timeframe: "1h", lastCandleAt: LAST_CANDLE_AT }),
    },
  ])("does not look at $name", async ({ signal, now }) => {
    await storeBuy(signal);
    const { asked, left } = await watch({ "BTC/USDT": liveSeries(closes([106])) }, now);
    expect({ asked, left }).toEqual({ asked: [], left: 0 });
    expect(await events()).toEqual([]);
  });

  it("does not notify of a signal that is already resolved", async () => {
    await storeBuy({ outcome: "WIN" });
    expect(await watch({ "BTC/USDT": liveSeries(closes([106])) })).toMatchObject({ left: 0 });
    expect(await events()).toEqual([]);
  });

  it("notifies all users who have a signal of the analysis, also one who asked a moment before", async () => {
    const { analysisId } = await storeBuy();
    const late = await createUser(database, { approved: true });
    const shared = { analysisId, analysis: buyAnalysis(), withAnalysis: false };
    const market = { "BTC/USDT": liveSeries(closes([106])) };
    await createSignals(database, user, { ...shared, count: 300 });
    expect(await watch(market)).toMatchObject({ left: 301 });
    await createSignals(database, late, shared);
    expect(await watch(market)).toMatchObject({ left: 1 });
    expect(await database.events.countDocuments({ stream: userStream(late._id) })).toBe(1);
    expect(await watch(market)).toMatchObject({ left: 0 });
  });

  it("uses no candle that the signal was made from, and no replayed one", async () => {
    await storeBuy();
    const before = closes([150, 150], LAST_CANDLE_AT - 2 * MINUTE_MS);
    const quiet = liveSeries([...before, ...closes([101, 102])]);
    expect(await watch({ "BTC/USDT": quiet })).toMatchObject({ left: 0 });
    const recorded: CandleSeries = { ...liveSeries(closes([150])), data: "replay" };
    expect(await watch({ "BTC/USDT": recorded })).toMatchObject({ left: 0 });
    expect(await events()).toEqual([]);
  });

  it("says nothing by the prices of another provider, and tries again", async () => {
    const signal = await storeBuy();
    const other: CandleSeries = { ...liveSeries(closes([106])), provider: "other" };
    const marketData = {
      candles: async () => other,
    };
    const abort = new AbortController().signal;
    const deps = { database, logger, marketData, now: () => new Date(NOW), abort };
    expect(await watchEntries(deps)).toEqual({ left: 0, failedMarkets: ["BTC/USDT 1h memory"] });
    expect(await watch({ "BTC/USDT": other })).toMatchObject({
      left: 0,
      asked: [{ only: "memory" }],
    });
    expect(await events()).toEqual([]);
    expect(await watch({ "BTC/USDT": liveSeries(closes([106])) })).toMatchObject({ left: 1 });
    expect((await stored(signal)).entryLeft?.price).toBe(106);
  });

  it.each<Timeframe>(["5m", "1h", "1d"])(
    "sees by minutes that the stop of a signal of %s was touched",
    async (timeframe) => {
      const signal = await storeBuy({ timeframe });
      const minutes = closes([101, 101, 101]).map((candle, index) =>
        index === 1 ? { ...candle, low: 89 } : candle,
      );
      expect(await watch({ "BTC/USDT": liveSeries(minutes) })).toMatchObject({ left: 1 });
      expect((await stored(signal)).entryLeft).toEqual({
        price: 90,
        at: new Date(LAST_CANDLE_AT + 2 * MINUTE_MS),
      });
    },
  );
});

/** A buy at 100 that risks 10 for 20, made from live candles of one hour. */
function buyAnalysis(): Analysis {
  return {
    ...WAIT_ANALYSIS,
    final_signal: "BUY",
    entry: 100,
    stop_loss: 90,
    take_profit: 120,
    valid_until: new Date(
      validUntil({ timeframe: "1h", lastCandleAt: LAST_CANDLE_AT }),
    ).toISOString(),
    source: {
      ...WAIT_ANALYSIS.source,
      data: "live",
      provider: "memory",
      last_candle_at: new Date(LAST_CANDLE_AT).toISOString(),
      price: 100,
    },
  };
}

/** Candles of one minute that close so, the first opening at `from`. */
function closes(prices: number[], from = LAST_CANDLE_AT): Candle[] {
  return prices.map((close, index) => ({
    time: from + index * MINUTE_MS,
    open: close,
    high: close,
    low: close,
    close,
    volume: 1,
  }));
}
