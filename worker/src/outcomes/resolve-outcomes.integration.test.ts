import { HOUR_MS } from "@shared/contract/constants.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { readCandles } from "@shared/database/stored-candles.ts";
import { commit } from "@shared/outbox/commit.ts";
import { readEvents } from "@shared/outbox/event-log.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { createUser } from "@shared/testing/factories.ts";
import { type Bar, bars, NOON } from "@shared/testing/made-market.ts";
import {
  createSignals,
  storeTrade,
  tradeAnalysis,
  WAIT_ANALYSIS,
} from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { deleteSignals } from "../../../server/src/modules/users/clear-history.ts";
import { createReplayMarketData } from "../market-data/replay/replay-market-data.ts";
import { type ScriptedMarket, scriptedMarket } from "../testing/fakes.ts";
import { CandleArchive } from "./candle-archive.ts";
import { MarketBackoff, resolveOutcomes } from "./resolve-outcomes.ts";

const CALM: Bar = [100, 101, 99, 100];
const WON: Bar = [100, 111, 99, 110];
const MADE_AT = new Date(NOON);
const logger = createLogger({ service: "test", level: "silent" });

describe("resolving trades", () => {
  let database: Database;
  let ann: UserRecord;
  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    await Promise.all([
      database.signals.deleteMany({}),
      database.marketAnalyses.deleteMany({}),
      database.outcomeCandles.deleteMany({}),
      database.marketCandles.deleteMany({}),
      database.events.deleteMany({}),
    ]);
    ann = await createUser(database, { approved: true });
  });

  /** Resolves trades at the times that the market's clock shows. */
  const resolveBy = (market: ScriptedMarket) => {
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
  const stored = ({ analysisId }: Pick<SignalRecord, "analysisId">) =>
    database.marketAnalyses.findById(analysisId).lean();
  const eventsOf = (user: UserRecord) =>
    readEvents(database, {
      stream: userStream(user._id),
      after: 0,
      limit: 1_000,
      names: ["signal:outcome"],
    });

  it("stores the outcome with its candles and notifies the user, once", async () => {
    const signal = await storeTrade(database, ann, { madeAt: MADE_AT });
    const hours = bars([CALM, WON, CALM]);
    const resolve = resolveBy(scriptedMarket({ "1h": hours }, NOON));
    expect(await resolve(NOON + 2 * HOUR_MS)).toBe(1);
    const resolved_at = new Date(NOON + 2 * HOUR_MS).toISOString();
    const resolution = {
      outcome: "WIN",
      reason: "target",
      resolved_at,
      exit: 110,
      // (100 + 110) × (0.005 % + 0.05 %) = 0.1155, of a risk of 5.
      r_multiple: 1.9769,
      costs: DEFAULT_TRADING_COSTS.crypto,
    };
    const resolved = await stored(signal);
    expect(resolved).toMatchObject({ outcome: "WIN", resolution });
    expect(await database.signals.findById(signal._id).lean()).toMatchObject({ outcome: "WIN" });
    const candles = await readCandles(database.outcomeCandles, signal.analysisId);
    expect(candles).toEqual(hours.slice(0, 2));
    const data = { signal_id: signal._id.toString(), outcome: "WIN", resolved_at };
    expect(await eventsOf(ann)).toMatchObject([{ name: "signal:outcome", seq: 2, data }]);

    expect(
      await resolveBy(scriptedMarket({ "1h": bars([CALM, CALM, CALM]) }, NOON))(NOON + 9e9),
    ).toBe(0);
    const { resolveAt: _, ...unchanged } = resolved ?? {};
    expect(await stored(signal)).toEqual(unchanged);
    expect(await eventsOf(ann)).toHaveLength(1);
  });

  it("notifies every user who has the trade, once, however late they got it; and no user with a WAIT", async () => {
    const { analysisId } = await storeTrade(database, ann, { madeAt: MADE_AT });
    const shared = { analysisId, withAnalysis: false, analysis: tradeAnalysis(MADE_AT) };
    const [bob, late, waiting] = await Promise.all([
      createUser(database),
      createUser(database),
      createUser(database),
    ]);
    await createSignals(database, bob, { ...shared, count: 450 });
    await createSignals(database, waiting, { ...shared, analysis: WAIT_ANALYSIS });
    const resolve = resolveBy(scriptedMarket({ "1h": bars([WON]) }, NOON));
    expect(await resolve(NOON + HOUR_MS + 5_000)).toBe(1);
    // A request that was answered from the analysis while it was being resolved.
    const [missed] = await createSignals(database, late, shared);
    await resolve(NOON + HOUR_MS + 70_000);
    expect(await eventsOf(ann)).toHaveLength(1);
    expect(await eventsOf(bob)).toHaveLength(450);
    expect(await eventsOf(late)).toMatchObject([{ data: { signal_id: String(missed?._id) } }]);
    expect(await eventsOf(waiting)).toEqual([]);
    expect(await stored({ analysisId })).not.toHaveProperty("resolveAt");
  });

  it("resolves late as it would have resolved in time", async () => {
    const hours = bars([CALM, [100, 104, 97, 103], [103, 104, 99, 102], WON, CALM, CALM]);
    const early = await storeTrade(database, ann, { madeAt: MADE_AT });
    const resolveHourly = resolveBy(scriptedMarket({ "1h": hours }, NOON));
    for (let hour = 0; hour <= 6; hour++) await resolveHourly(NOON + hour * HOUR_MS + 5_000);
    const late = await storeTrade(database, ann, { madeAt: MADE_AT });
    const resolveOnce = resolveBy(scriptedMarket({ "1h": hours }, NOON));
    await resolveOnce(NOON + 700 * HOUR_MS);
    const resolution = (await stored(early))?.resolution;
    expect(resolution).toMatchObject({ outcome: "WIN" });
    expect((await stored(late))?.resolution).toEqual(resolution);
  });

  it("looks at what is open again after the next close, and not before", async () => {
    const signal = await storeTrade(database, ann, { madeAt: MADE_AT });
    const market = scriptedMarket({ "1h": bars([CALM, CALM, WON]) }, NOON);
    const resolve = resolveBy(market);
    await resolve(NOON + HOUR_MS + 5_000);
    // Once more after the fill, for signals that were made in that moment.
    await resolve(NOON + HOUR_MS + 65_000);
    expect((await stored(signal))?.resolveAt).toEqual(new Date(NOON + 2 * HOUR_MS + 2_000));
    const asked = market.asked.length;
    expect(await resolve(NOON + 2 * HOUR_MS)).toBe(0);
    expect(market.asked).toHaveLength(asked);
    expect(await resolve(NOON + 3 * HOUR_MS + 5_000)).toBe(1);
  });

  it("looks for a candle that is late again within a minute", async () => {
    const signal = await storeTrade(database, ann, { madeAt: MADE_AT });
    const resolve = resolveBy(scriptedMarket({ "1h": bars([CALM]) }, NOON));
    const now = NOON + 2 * HOUR_MS + 5_000;
    await resolve(now);
    const resolveAt = (await stored(signal))?.resolveAt?.getTime() ?? 0;
    expect(resolveAt).toBeGreaterThan(now);
    expect(resolveAt).toBeLessThanOrEqual(now + 60_000);
  });

  it("waits until an analysis is recorded in the ledger", async () => {
    const signal = await storeTrade(database, ann, { madeAt: MADE_AT });
    await database.marketAnalyses.updateOne({}, { $unset: { ledgerSeq: 1 } });
    const resolve = resolveBy(scriptedMarket({ "1h": bars([WON]) }, NOON));
    expect(await resolve(NOON + 2 * HOUR_MS)).toBe(0);
    expect(await stored(signal)).not.toHaveProperty("outcome");
    await database.marketAnalyses.updateOne({}, { $set: { ledgerSeq: 10_000 } });
    expect(await resolve(NOON + 2 * HOUR_MS)).toBe(1);
  });

  it("reads a market once for all trades that depend on it", async () => {
    for (let count = 0; count < 20; count++) await storeTrade(database, ann, { madeAt: MADE_AT });
    const market = scriptedMarket({ "1h": bars([WON]) }, NOON);
    expect(await resolveBy(market)(NOON + HOUR_MS + 5_000)).toBe(20);
    expect(market.asked).toHaveLength(1);
    const seqs = (await eventsOf(ann)).map(({ seq }) => seq);
    expect(seqs).toEqual([...Array(20).keys()].map((n) => 2 * (n + 1)));
  });

  it("leaves a market that cannot be read alone for a while, and resolves the others", async () => {
    const failing = await storeTrade(database, ann, { madeAt: MADE_AT, symbol: "GONE/USDT" });
    const well = await storeTrade(database, ann, { madeAt: MADE_AT });
    const market = scriptedMarket({ "1h": bars([WON]) }, NOON);
    market.failing.set("GONE/USDT", "unreachable");
    const resolve = resolveBy(market);
    const now = NOON + HOUR_MS + 5_000;
    expect(await resolve(now)).toBe(1);
    expect(await stored(well)).toMatchObject({ outcome: "WIN" });
    expect((await stored(failing))?.resolveAt).toEqual(new Date(now + 15_000));
    await resolve(now + 15_000);
    expect((await stored(failing))?.resolveAt).toEqual(new Date(now + 45_000));
    market.failing.clear();
    expect(await resolve(now + 45_000)).toBe(1);
  });

  it("decides nothing while finer candles may still come", async () => {
    const signal = await storeTrade(database, ann, { madeAt: MADE_AT });
    const hours = bars([[100, 111, 94, 100]]);
    const resolve = resolveBy(scriptedMarket({ "1h": hours }, NOON));
    expect(await resolve(NOON + HOUR_MS + 5_000)).toBe(0);
    expect(await stored(signal)).not.toHaveProperty("outcome");
    expect(await resolve(NOON + HOUR_MS + 70_000)).toBe(1);
    expect(await stored(signal)).toMatchObject({ resolution: { outcome: "LOSS", reason: "both" } });
  });

  it("lets minutes decide what an hour does not show", async () => {
    const signal = await storeTrade(database, ann, { madeAt: MADE_AT });
    const minutes: Bar[] = Array.from({ length: 60 }, () => CALM);
    minutes[10] = [100, 111, 100, 110];
    minutes[40] = [100, 100, 94, 96];
    const market = scriptedMarket(
      { "1h": bars([[100, 111, 94, 100]]), "1m": bars(minutes, { timeframe: "1m" }) },
      NOON,
    );
    expect(await resolveBy(market)(NOON + HOUR_MS + 5_000)).toBe(1);
    expect(await stored(signal)).toMatchObject({
      resolution: { outcome: "WIN", reason: "target" },
    });
  });

  it("resolves a trade whose signals were deleted, without notifications", async () => {
    const signal = await storeTrade(database, ann, { madeAt: MADE_AT });
    await commit(database, { lockKeys: userStream(ann._id) }, (uow) =>
      deleteSignals(database, uow, ann._id, [signal._id]),
    );
    const resolve = resolveBy(scriptedMarket({ "1h": bars([[100, 100, 90, 91]]) }, NOON));
    expect(await resolve(NOON + HOUR_MS + 5_000)).toBe(1);
    expect(await stored(signal)).toMatchObject({ outcome: "LOSS", resolution: { reason: "stop" } });
    expect(await eventsOf(ann)).toEqual([]);
  });

  it("resolves replayed trades by the replay, and never by live candles", async () => {
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
    const signal = await storeTrade(database, ann, {
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
    const since = await readCandles(database.outcomeCandles, signal.analysisId);
    expect(since).toEqual(candles.slice(1, 1 + since.length));
  });

  it("finds what is due by an index", async () => {
    await storeTrade(database, ann, { madeAt: MADE_AT });
    const query = database.marketAnalyses
      .find({ resolveAt: { $lte: new Date() } })
      .sort({ resolveAt: 1 });
    expect(JSON.stringify(await query.explain("queryPlanner"))).toContain(
      '"indexName":"resolveAt_1"',
    );
  });
});
