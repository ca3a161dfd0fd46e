import { type Database, openDatabase } from "@shared/node/database.ts";
import { createLogger } from "@shared/node/logger.ts";
import type { UserRecord } from "@shared/node/models/user.ts";
import { removeSignals } from "@shared/node/signals/remove-signals.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/node/trading-costs.ts";
import { commit } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { createUser } from "@shared/testing/factories.ts";
import { storeTrade, tradeAnalysis } from "@shared/testing/stored-trades.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import type { Types } from "mongoose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createReplayMarketData } from "../providers/replay/replay-market-data.ts";
import { CandleArchive } from "./candle-archive.ts";
import { resolveOutcomes } from "./resolve-outcomes.ts";
import { MarketBackoff } from "./schedule.ts";
import { type Bar, bars, HOUR_MS, NOON } from "./testing/made-market.ts";
import { type ScriptedMarket, scriptedMarket } from "./testing/scripted-market.ts";

const CALM: Bar = [100, 101, 99, 100];
const WON: Bar = [100, 111, 99, 110];
const MADE_AT = new Date(NOON);
const logger = createLogger({ part: "test", level: "silent" });

describe("judging past signals", () => {
  let database: Database;
  let ann: UserRecord;
  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri("outcomes") });
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    await Promise.all([
      database.signals.deleteMany({}),
      database.clearedSignals.deleteMany({}),
      database.signalSince.deleteMany({}),
      database.marketCandles.deleteMany({}),
      database.events.deleteMany({}),
    ]);
    ann = await createUser(database, { approved: true });
  });

  /** A worker's judging, at the times that its market's clock shows. */
  const judgeBy = (market: ScriptedMarket) => {
    const archive = new CandleArchive({ live: market, replay: undefined });
    const backoff = new MarketBackoff();
    return (now: number) => {
      market.now = now;
      const abort = new AbortController().signal;
      const clock = () => new Date(now);
      const deps = {
        database,
        logger,
        archive,
        backoff,
        tradingCosts: DEFAULT_TRADING_COSTS,
        abort,
      };
      return resolveOutcomes({ ...deps, now: clock });
    };
  };
  const stored = (id: Types.ObjectId) => database.signals.findById(id).lean();
  const told = (user: UserRecord) =>
    database.events
      .find({ stream: userStream(user._id) })
      .sort({ seq: 1 })
      .lean();

  it("stores the judgement with its candles and tells the user, once", async () => {
    const { _id } = await storeTrade(database, ann, { madeAt: MADE_AT });
    const hours = bars([CALM, WON, CALM]);
    const judge = judgeBy(scriptedMarket({ "1h": hours }, NOON));
    expect(await judge(NOON + 2 * HOUR_MS)).toBe(1);
    const resolved_at = new Date(NOON + 2 * HOUR_MS).toISOString();
    const judgement = {
      outcome: "WIN",
      reason: "target",
      resolved_at,
      exit: 110,
      // (100 + 110) × (0.005 % + 0.05 %) = 0.1155, of a risk of 5.
      r_multiple: 1.9769,
      costs: DEFAULT_TRADING_COSTS.crypto,
    };
    const signal = await stored(_id);
    expect(signal).toMatchObject({ outcome: "WIN", judgement });
    expect(signal).not.toHaveProperty("judgeAt");
    expect((await database.signalSince.findById(_id).lean())?.candles).toEqual(hours.slice(0, 2));
    const data = { signal_id: _id.toString(), outcome: "WIN", resolved_at };
    expect(await told(ann)).toMatchObject([{ name: "signal:outcome", seq: 1, data }]);

    expect(
      await judgeBy(scriptedMarket({ "1h": bars([CALM, CALM, CALM]) }, NOON))(NOON + 9e9),
    ).toBe(0);
    expect(await stored(_id)).toEqual(signal);
    expect(await told(ann)).toHaveLength(1);
  });

  it("judges late as it would have judged in time", async () => {
    const hours = bars([CALM, [100, 104, 97, 103], [103, 104, 99, 102], WON, CALM, CALM]);
    const early = await storeTrade(database, ann, { madeAt: MADE_AT });
    const judgeHourly = judgeBy(scriptedMarket({ "1h": hours }, NOON));
    for (let hour = 0; hour <= 6; hour++) await judgeHourly(NOON + hour * HOUR_MS + 5_000);
    const late = await storeTrade(database, ann, { madeAt: MADE_AT });
    const judgeOnce = judgeBy(scriptedMarket({ "1h": hours }, NOON));
    await judgeOnce(NOON + 700 * HOUR_MS);
    const judgement = (await stored(early._id))?.judgement;
    expect(judgement).toMatchObject({ outcome: "WIN" });
    expect((await stored(late._id))?.judgement).toEqual(judgement);
  });

  it("looks at what is open again after the next close, and not before", async () => {
    const { _id } = await storeTrade(database, ann, { madeAt: MADE_AT });
    const market = scriptedMarket({ "1h": bars([CALM, CALM, WON]) }, NOON);
    const judge = judgeBy(market);
    await judge(NOON + HOUR_MS + 5_000);
    expect((await stored(_id))?.judgeAt).toEqual(new Date(NOON + 2 * HOUR_MS + 2_000));
    const asked = market.asked.length;
    expect(await judge(NOON + 2 * HOUR_MS)).toBe(0);
    expect(market.asked).toHaveLength(asked);
    expect(await judge(NOON + 3 * HOUR_MS + 5_000)).toBe(1);
  });

  it("looks for a candle that is late again within a minute", async () => {
    const { _id } = await storeTrade(database, ann, { madeAt: MADE_AT });
    const judge = judgeBy(scriptedMarket({ "1h": bars([CALM]) }, NOON));
    const now = NOON + 2 * HOUR_MS + 5_000;
    await judge(now);
    const judgeAt = (await stored(_id))?.judgeAt?.getTime() ?? 0;
    expect(judgeAt).toBeGreaterThan(now);
    expect(judgeAt).toBeLessThanOrEqual(now + 60_000);
  });

  it("waits until a signal is committed to the ledger", async () => {
    const { _id } = await storeTrade(database, ann, { madeAt: MADE_AT });
    await database.signals.updateOne({ _id }, { $unset: { ledgerSeq: 1 } });
    const judge = judgeBy(scriptedMarket({ "1h": bars([WON]) }, NOON));
    expect(await judge(NOON + 2 * HOUR_MS)).toBe(0);
    expect(await stored(_id)).not.toHaveProperty("outcome");
    await database.signals.updateOne({ _id }, { $set: { ledgerSeq: 10_000 } });
    expect(await judge(NOON + 2 * HOUR_MS)).toBe(1);
  });

  it("reads a market once for all signals that wait on it, however many", async () => {
    for (let count = 0; count < 20; count++) await storeTrade(database, ann, { madeAt: MADE_AT });
    const market = scriptedMarket({ "1h": bars([WON]) }, NOON);
    expect(await judgeBy(market)(NOON + HOUR_MS + 5_000)).toBe(20);
    expect(market.asked).toHaveLength(1);
    expect((await told(ann)).map(({ seq }) => seq)).toEqual(
      [...Array(20).keys()].map((n) => n + 1),
    );
  });

  it("leaves a market that cannot be read alone for a while, and judges the others", async () => {
    const failing = await storeTrade(database, ann, { madeAt: MADE_AT, symbol: "GONE/USDT" });
    const well = await storeTrade(database, ann, { madeAt: MADE_AT });
    const market = scriptedMarket({ "1h": bars([WON]) }, NOON);
    market.failing.set("GONE/USDT", "unreachable");
    const judge = judgeBy(market);
    const now = NOON + HOUR_MS + 5_000;
    expect(await judge(now)).toBe(1);
    expect(await stored(well._id)).toMatchObject({ outcome: "WIN" });
    expect((await stored(failing._id))?.judgeAt).toEqual(new Date(now + 15_000));
    await judge(now + 15_000);
    expect((await stored(failing._id))?.judgeAt).toEqual(new Date(now + 45_000));
    market.failing.clear();
    expect(await judge(now + 45_000)).toBe(1);
  });

  it("decides nothing while finer candles may still come", async () => {
    const { _id } = await storeTrade(database, ann, { madeAt: MADE_AT });
    const hours = bars([[100, 111, 94, 100]]);
    const judge = judgeBy(scriptedMarket({ "1h": hours }, NOON));
    expect(await judge(NOON + HOUR_MS + 5_000)).toBe(0);
    expect(await stored(_id)).not.toHaveProperty("outcome");
    expect(await judge(NOON + HOUR_MS + 70_000)).toBe(1);
    expect(await stored(_id)).toMatchObject({ judgement: { outcome: "LOSS", reason: "both" } });
  });

  it("lets minutes decide what an hour does not tell", async () => {
    const { _id } = await storeTrade(database, ann, { madeAt: MADE_AT });
    const minutes: Bar[] = Array.from({ length: 60 }, () => CALM);
    minutes[10] = [100, 111, 100, 110];
    minutes[40] = [100, 100, 94, 96];
    const market = scriptedMarket(
      { "1h": bars([[100, 111, 94, 100]]), "1m": bars(minutes, { timeframe: "1m" }) },
      NOON,
    );
    expect(await judgeBy(market)(NOON + HOUR_MS + 5_000)).toBe(1);
    expect(await stored(_id)).toMatchObject({ judgement: { outcome: "WIN", reason: "target" } });
  });

  it("judges what was cleared while it was pending, and tells nobody", async () => {
    const { _id } = await storeTrade(database, ann, { madeAt: MADE_AT });
    const lost = scriptedMarket({ "1h": bars([CALM, [100, 100, 90, 91]]) }, NOON);
    const judge = judgeBy(lost);
    expect(await judge(NOON + HOUR_MS + 5_000)).toBe(0);
    await commit(database, { lockKeys: userStream(ann._id) }, (uow) =>
      removeSignals(database, uow, { userId: ann._id, signalIds: [_id] }),
    );
    expect(await judge(NOON + 2 * HOUR_MS + 5_000)).toBe(1);
    const [cleared] = await database.clearedSignals.find().lean();
    expect(cleared).toMatchObject({ outcome: "LOSS", judgement: { reason: "stop" } });
    expect(cleared).not.toHaveProperty("judgeAt");
    expect(await database.signalSince.countDocuments()).toBe(0);
    expect(await told(ann)).toEqual([]);
    expect(await judge(NOON + 9 * HOUR_MS)).toBe(0);
  });

  it("brings nothing back that was cleared while it was being judged", async () => {
    const { _id } = await storeTrade(database, ann, { madeAt: MADE_AT });
    const hours = scriptedMarket({ "1h": bars([WON]) }, NOON);
    const clearing: ScriptedMarket = {
      ...hours,
      async candles(request) {
        const lockKeys = userStream(ann._id);
        await commit(database, { lockKeys }, (uow) =>
          removeSignals(database, uow, { userId: ann._id, signalIds: [_id] }),
        );
        return hours.candles.call(this, request);
      },
    };
    await judgeBy(clearing)(NOON + HOUR_MS + 5_000);
    expect(await stored(_id)).toBeNull();
    expect(await database.clearedSignals.find().lean()).toMatchObject([{ outcome: "WIN" }]);
    expect(await database.signalSince.countDocuments()).toBe(0);
    expect(await told(ann)).toEqual([]);
  });

  it("judges replayed signals by the replay, and never by live candles", async () => {
    const live = scriptedMarket({ "1h": bars([WON]) }, NOON);
    const replay = createReplayMarketData({ now: () => NOON + 40 * HOUR_MS });
    const request = { symbol: "SOL/USDT", timeframe: "1h", limit: 41 } as const;
    const abort = new AbortController().signal;
    const { candles } = await replay.candles({ ...request, abort });
    const price = candles[0]?.close ?? 0;
    const source = {
      ...tradeAnalysis(MADE_AT).source,
      data: "replay",
      provider: "replay",
    } as const;
    const levels = { entry: price, stop_loss: price * 0.99, take_profit: price * 1.01 };
    const analysis = tradeAnalysis(MADE_AT, { ...levels, source: { ...source, price } });
    const { _id } = await storeTrade(database, ann, {
      madeAt: MADE_AT,
      symbol: "SOL/USDT",
      analysis,
    });
    const archive = new CandleArchive({ live, replay });
    const now = () => new Date(NOON + 40 * HOUR_MS);
    const deps = {
      database,
      logger,
      archive,
      backoff: new MarketBackoff(),
      tradingCosts: DEFAULT_TRADING_COSTS,
      abort,
    };
    expect(await resolveOutcomes({ ...deps, now })).toBe(1);
    expect(live.asked).toEqual([]);
    const since = await database.signalSince.findById(_id).lean();
    expect(since?.candles).toEqual(candles.slice(1, 1 + (since?.candles.length ?? 0)));
  });

  it("finds what is due by an index", async () => {
    await storeTrade(database, ann, { madeAt: MADE_AT });
    const query = database.signals.find({ judgeAt: { $lte: new Date() } }).sort({ judgeAt: 1 });
    expect(JSON.stringify(await query.explain("queryPlanner"))).toContain(
      '"indexName":"judgeAt_1"',
    );
  });
});
