import { HOUR_MS, MINUTE_MS, SECOND_MS } from "@shared/contract/constants.ts";
import type { Candle } from "@shared/contract/market-data.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { createUser } from "@shared/testing/factories.ts";
import { type Bar, bars, NOON } from "@shared/testing/made-market.ts";
import { storeTrade, tradeAnalysis } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { MarketData } from "../market-data/market-data.ts";
import { ProviderError } from "../market-data/market-data.ts";
import { type ScriptedMarket, scriptedMarket, silentLogger } from "../testing/fakes.ts";
import { CandleArchive } from "./candle-archive.ts";
import { MarketBackoff, resolveOutcomes } from "./resolve-outcomes.ts";

const CALM: Bar = [100, 101, 99, 100];
const WON: Bar = [100, 111, 99, 110];
const LOST: Bar = [100, 101, 94, 96];
const DAY_HOURS = 24;
/** A silent provider is asked every five minutes, which makes no difference for a day. */
const RARELY_MS = 59 * MINUTE_MS;

type Provider = ScriptedMarket | "silent";

/** Several providers; the first that has candles gives them, unless one alone is requested. */
function providers(all: Record<string, () => Provider>): MarketData {
  return {
    async candles(request) {
      for (const [name, find] of Object.entries(all)) {
        const provider = find();
        if (provider === "silent" || (request.only ?? name) !== name) continue;
        return { ...(await provider.candles(request)), provider: name };
      }
      throw new ProviderError({ provider: "all", failure: "unreachable", message: "silent" });
    },
  };
}

describe("outcomes of feeds that are late, incomplete or silent", () => {
  let database: Database;
  let ann: UserRecord;
  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    const { signals, marketAnalyses, outcomeCandles, marketCandles, events } = database;
    const used = [signals, marketAnalyses, outcomeCandles, marketCandles, events];
    await Promise.all(used.map((model) => model.collection.deleteMany({})));
    ann = await createUser(database, { approved: true });
  });

  /** A worker. */
  const worker = (live: MarketData) => {
    const archive = new CandleArchive({ live, replay: undefined });
    const backoff = new MarketBackoff();
    return (now: number) =>
      resolveOutcomes({
        database,
        archive,
        backoff,
        logger: silentLogger,
        tradingCosts: DEFAULT_TRADING_COSTS,
        abort: new AbortController().signal,
        now: () => new Date(now),
      });
  };
  const stored = async ({ analysisId }: Pick<SignalRecord, "analysisId">) =>
    database.marketAnalyses.findById(analysisId).orFail().lean();
  const tradeOf = (provider: string, madeAt = NOON) => {
    const analysis = tradeAnalysis(new Date(madeAt));
    const source = { ...analysis.source, provider };
    return storeTrade(database, ann, {
      madeAt: new Date(madeAt),
      analysis: { ...analysis, source },
    });
  };
  /**
   * Checks whenever a trade is due, as the job does.
   * @param everyMs at least so long after the check before: for days in which nothing changes
   */
  async function checkUntil(
    resolve: (now: number) => Promise<number>,
    end: number,
    everyMs = 0,
  ): Promise<void> {
    let earliest = 0;
    for (;;) {
      const due = await database.marketAnalyses
        .findOne({ resolveAt: { $exists: true }, outcome: { $exists: false } })
        .sort({ resolveAt: 1 })
        .lean();
      const at = Math.max(earliest, due?.resolveAt?.getTime() ?? Number.POSITIVE_INFINITY);
      if (at > end) break;
      await resolve(at);
      earliest = at + everyMs;
    }
  }
  const hourly = (prices: readonly Bar[], from = NOON) => bars(prices, { from });
  const minutely = (prices: readonly Bar[], from: number) =>
    bars(prices, { timeframe: "1m", from });

  it("read each past block once for all trades, also where a candle of it is missing", async () => {
    const readsFor = async (trades: number): Promise<number> => {
      await database.marketAnalyses.deleteMany({});
      for (let count = 0; count < trades; count++) {
        await storeTrade(database, ann, { madeAt: new Date(NOON) });
      }
      const candles = hourly(Array<Bar>(400).fill(CALM)).filter((_, index) => index !== 10);
      const market = scriptedMarket({ "1h": candles }, NOON);
      await worker(market)(NOON + 400 * HOUR_MS + 5_000);
      return market.asked.filter(({ timeframe }) => timeframe === "1h").length;
    };
    expect(await readsFor(6)).toBe(await readsFor(1));
  });

  it("are those of the complete candles if a feed lags over the end of a block", async () => {
    const blockMs = 300 * MINUTE_MS;
    const end = Math.ceil(NOON / blockMs) * blockMs;
    const madeAt = end - 20 * MINUTE_MS;
    const prices: Bar[] = Array<Bar>(80).fill(CALM);
    prices[18] = LOST;
    prices[50] = WON;
    const candles = [
      ...minutely(Array<Bar>(60).fill(CALM), madeAt - HOUR_MS),
      ...minutely(prices, madeAt),
    ];
    const market = scriptedMarket({ "1m": candles }, NOON);
    const analysis = tradeAnalysis(new Date(madeAt), { suggested_hold: "70 candles" });
    const signal = await storeTrade(database, ann, {
      madeAt: new Date(madeAt),
      timeframe: "1m",
      analysis,
    });
    const resolve = worker(market);
    const lagMs = 12 * MINUTE_MS;
    for (let minute = 1; minute < 80; minute++) {
      const now = madeAt + minute * MINUTE_MS + 5 * SECOND_MS;
      market.now = now - lagMs;
      await resolve(now);
    }
    expect(await stored(signal)).toMatchObject({ outcome: "LOSS", resolution: { reason: "stop" } });
  });

  it("wait for a second answer if one candle is missing in the first", async () => {
    const all = hourly([CALM, LOST, WON, CALM]);
    const known: { "1h": Candle[] } = { "1h": all.toSpliced(1, 1) };
    const market = scriptedMarket(known, NOON);
    const signal = await tradeOf("scripted");
    const resolve = worker(market);
    const late = NOON + 3 * HOUR_MS + 2 * SECOND_MS;
    market.now = late;
    await resolve(late);
    expect(await stored(signal)).not.toHaveProperty("outcome");
    known["1h"] = all;
    await checkUntil(resolve, late + MINUTE_MS);
    expect(await stored(signal)).toMatchObject({ outcome: "LOSS" });
  });

  it("come within two minutes of the close after a halt, which is time without trades", async () => {
    const prices: Bar[] = [...Array<Bar>(5).fill(CALM), ...Array<Bar>(40).fill(null), WON, CALM];
    const market = scriptedMarket({ "1m": minutely(prices, NOON) }, NOON);
    const signal = await storeTrade(database, ann, {
      madeAt: new Date(NOON),
      timeframe: "1m",
      analysis: tradeAnalysis(new Date(NOON), { suggested_hold: "60 candles" }),
    });
    const resolve = worker(market);
    const closesAt = NOON + 46 * MINUTE_MS;
    const check = (now: number) => {
      market.now = now;
      return resolve(now);
    };
    await check(NOON);
    await checkUntil(check, closesAt + 2 * MINUTE_MS);
    expect((await stored(signal)).resolution).toMatchObject({
      outcome: "WIN",
      resolved_at: new Date(closesAt).toISOString(),
    });
  });

  it("are not decided by the hour while its minutes are late", async () => {
    const minutes: Bar[] = Array<Bar>(61).fill(CALM);
    minutes[50] = [100, 111, 100, 110];
    minutes[55] = [100, 100, 94, 96];
    const market = scriptedMarket({ "1h": hourly([[100, 111, 94, 100], CALM]) }, NOON);
    const late = scriptedMarket({ "1m": minutely(minutes, NOON) }, NOON);
    const feed: MarketData = {
      candles: (request) => (request.timeframe === "1m" ? late : market).candles(request),
    };
    const signal = await tradeOf("scripted");
    const resolve = worker(feed);
    for (let minute = 60; minute < 80; minute++) {
      const now = NOON + minute * MINUTE_MS + 5 * SECOND_MS;
      market.now = now;
      late.now = now - 15 * MINUTE_MS;
      await resolve(now);
      if (minute < 74) expect(await stored(signal)).not.toHaveProperty("outcome");
    }
    expect(await stored(signal)).toMatchObject({ outcome: "WIN" });
  });

  it("do not wait for a day where the minutes of a candle end with a halt of an hour", async () => {
    const madeAt = NOON + 10 * MINUTE_MS + SECOND_MS;
    const minutes: Bar[] = [
      ...Array<Bar>(40).fill(CALM),
      LOST,
      ...Array<Bar>(70).fill(null),
      ...Array<Bar>(20).fill(CALM),
    ];
    const hours = hourly([CALM, [100, 101, 94, 96], CALM], NOON - HOUR_MS);
    const market = scriptedMarket({ "1h": hours, "1m": minutely(minutes, NOON) }, NOON);
    const signal = await tradeOf("scripted", madeAt);
    const resolve = worker(market);
    const tradedAgainAt = NOON + 111 * MINUTE_MS;
    const everyMs = (now: number) => (now < tradedAgainAt ? MINUTE_MS : 20 * SECOND_MS);
    for (let now = NOON + HOUR_MS; now < tradedAgainAt + 4 * MINUTE_MS; now += everyMs(now)) {
      market.now = now;
      await resolve(now);
      if (now < tradedAgainAt) expect(await stored(signal)).not.toHaveProperty("outcome");
    }
    expect(await stored(signal)).toMatchObject({ outcome: "LOSS", resolution: { exit: 95 } });
  });

  it("of one trade are not delayed by another whose candles cannot be read", async () => {
    const early = NOON - 700 * HOUR_MS;
    const market = scriptedMarket({ "1h": hourly([CALM, WON, CALM]) }, NOON + 3 * HOUR_MS);
    const unread = await tradeOf("scripted", early);
    const signal = await tradeOf("scripted");
    const feed: MarketData = {
      candles(request) {
        if ((request.until ?? NOON) < NOON) {
          throw new ProviderError({ provider: "scripted", failure: "timeout", message: "old" });
        }
        return market.candles(request);
      },
    };
    expect(await worker(feed)(NOON + 2 * HOUR_MS + 5 * SECOND_MS)).toBe(1);
    expect(await stored(signal)).toMatchObject({ outcome: "WIN" });
    expect(await stored(unread)).not.toHaveProperty("outcome");
  });

  it("are decided by the provider of the analysis, though it fails once", async () => {
    const oanda = scriptedMarket({ "1h": hourly([CALM, CALM, CALM, LOST, CALM]) }, NOON + 9e9);
    const yahoo = scriptedMarket({ "1h": hourly([WON, WON, WON, WON, WON]) }, NOON + 9e9);
    let first: Provider = "silent";
    const signal = await tradeOf("oanda");
    const resolve = worker(providers({ oanda: () => first, yahoo: () => yahoo }));
    await resolve(NOON + HOUR_MS + 5 * SECOND_MS);
    expect(await stored(signal)).not.toHaveProperty("outcome");
    first = oanda;
    await checkUntil(resolve, NOON + 5 * HOUR_MS);
    const { resolution } = await stored(signal);
    expect(resolution).toMatchObject({ outcome: "LOSS" });
    expect(resolution).not.toHaveProperty("provider");
  });

  it("come from another provider after a day, from the last candle of the first, also after a restart", async () => {
    const hold = { suggested_hold: "60 candles" };
    const prices = Array<Bar>(40).fill(CALM);
    const other = prices.with(1, LOST).with(30, WON);
    const oanda = scriptedMarket({ "1h": hourly(prices) }, NOON + 9e9);
    const yahoo = scriptedMarket({ "1h": hourly(other) }, NOON + 9e9);
    let first: Provider = oanda;
    const live = providers({ oanda: () => first, yahoo: () => yahoo });
    const analysis = tradeAnalysis(new Date(NOON), hold);
    const signal = await storeTrade(database, ann, {
      madeAt: new Date(NOON),
      analysis: { ...analysis, source: { ...analysis.source, provider: "oanda" } },
    });
    await checkUntil(worker(live), NOON + 3 * HOUR_MS);
    const fill = (await stored(signal)).filled;
    first = "silent";
    await checkUntil(worker(live), NOON + 20 * HOUR_MS, RARELY_MS);
    expect(await stored(signal)).not.toHaveProperty("providerChange");
    await checkUntil(worker(live), NOON + 40 * HOUR_MS, RARELY_MS);
    expect((await stored(signal)).resolution).toMatchObject({
      outcome: "WIN",
      fill: fill?.price,
      provider: "yahoo",
      provider_changed: true,
      resolved_at: new Date(NOON + 31 * HOUR_MS).toISOString(),
    });
  });

  it.each([
    ["ends by them", [100, 101, 94, 96], { outcome: "LOSS", exit: 95 }],
    ["goes on from them", [100, 102, 99, 101], { outcome: "WIN", fill: 100.5, provider: "yahoo" }],
  ] as const)(
    "count the last minutes of a provider that goes in the middle of a candle: a trade %s",
    async (_, minute, expected) => {
      const madeAt = NOON + 10 * MINUTE_MS + SECOND_MS;
      const minutes: Bar[] = [...Array<Bar>(11).fill(CALM), [100.5, 101, 100, 100], minute];
      const [, high, low, close] = minute;
      const partial: Bar = [100, Math.max(101, high), Math.min(99, low), close];
      const first = scriptedMarket(
        { "1h": hourly([CALM, partial], NOON - HOUR_MS), "1m": minutely(minutes, NOON) },
        NOON,
      );
      const other = scriptedMarket({ "1h": hourly([LOST, CALM, WON, CALM]) }, NOON + 9e9);
      let oanda: Provider = first;
      const live = providers({ oanda: () => oanda, yahoo: () => other });
      const analysis = tradeAnalysis(new Date(madeAt), { suggested_hold: "60 candles" });
      const signal = await storeTrade(database, ann, {
        madeAt: new Date(madeAt),
        analysis: { ...analysis, source: { ...analysis.source, provider: "oanda" } },
      });
      const resolve = worker(live);
      const listedUntil = NOON + 3 * HOUR_MS;
      first.now = listedUntil;
      for (let now = NOON + HOUR_MS; now < listedUntil; now += 10 * MINUTE_MS) await resolve(now);
      oanda = "silent";
      await checkUntil(worker(live), NOON + 40 * HOUR_MS, RARELY_MS);
      expect((await stored(signal)).resolution).toMatchObject(expected);
    },
  );

  it("are not taken over from a provider that is always late, but never silent", async () => {
    const candles = (bar: Bar) => bars(Array<Bar>(600).fill(bar), { timeframe: "5m" });
    const late = scriptedMarket({ "5m": candles(CALM) }, NOON);
    const other = scriptedMarket({ "5m": candles(WON) }, NOON);
    const hold = tradeAnalysis(new Date(NOON), { hold_candles: 480 });
    const signal = await storeTrade(database, ann, {
      madeAt: new Date(NOON),
      timeframe: "5m",
      analysis: { ...hold, source: { ...hold.source, provider: "yahoo" } },
    });
    const resolve = worker(providers({ oanda: () => other, yahoo: () => late }));
    const start = NOON + 20 * MINUTE_MS;
    for (let now = start; now < start + 42 * HOUR_MS; now += 2 * HOUR_MS) {
      late.now = now - 15 * MINUTE_MS;
      other.now = now;
      await database.marketAnalyses.updateOne(
        { _id: signal.analysisId, outcome: { $exists: false } },
        { $set: { resolveAt: new Date(now) } },
      );
      await resolve(now);
    }
    expect((await stored(signal)).resolution).toMatchObject({ reason: "hold-over" });
  });

  it.each([
    ["at the last known close, if it was open", [CALM, [100, 104, 99, 103]], 103],
    ["without a trade, if its fill is unknown", [], null],
  ] as const)(
    "end a day after the hold limit once a market is gone: %s",
    async (_, prices, exit) => {
      const market = scriptedMarket({ "1h": hourly(prices) }, NOON + 9e9);
      let feed: Provider = market;
      const signal = await tradeOf("scripted");
      const resolve = worker(providers({ scripted: () => feed }));
      await checkUntil(resolve, NOON + prices.length * HOUR_MS + 30 * MINUTE_MS);
      feed = "silent";
      const over = NOON + (6 + DAY_HOURS) * HOUR_MS;
      await checkUntil(resolve, over - SECOND_MS, RARELY_MS);
      expect(await stored(signal)).not.toHaveProperty("outcome");
      await checkUntil(resolve, over + 3 * HOUR_MS);
      expect(await stored(signal)).toMatchObject({
        outcome: "EXPIRED",
        resolution: { reason: "no-data", exit, resolved_at: new Date(over).toISOString() },
      });
      expect((await stored(signal)).resolution?.r_multiple === null).toBe(exit === null);
      await resolve(over + 5 * HOUR_MS);
      expect(await database.marketAnalyses.countDocuments({ resolveAt: { $exists: true } })).toBe(
        0,
      );
    },
  );

  it("keep a published fill, whatever later candles show", async () => {
    const signal = await tradeOf("scripted");
    const filled = { price: 100.2, at: new Date(NOON) };
    await database.marketAnalyses.updateOne({ _id: signal.analysisId }, { $set: { filled } });
    await worker(scriptedMarket({ "1h": hourly([CALM, WON, CALM]) }, NOON + 9e9))(
      NOON + 3 * HOUR_MS,
    );
    expect(await stored(signal)).toMatchObject({
      filled,
      outcome: "WIN",
      resolution: { fill: 100.2, filled_at: new Date(NOON).toISOString() },
    });
  });
});
