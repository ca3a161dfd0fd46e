import { MINUTE_MS, SECOND_MS } from "@shared/contract/constants.ts";
import type { Candle } from "@shared/contract/market-data.ts";
import { TIMEFRAME_MS } from "@shared/contract/market-data.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import { createUser } from "@shared/testing/factories.ts";
import type { FakeCandleApi, ServiceBehaviour } from "@shared/testing/fakes/candle-service.ts";
import { FAKE_OANDA_TOKEN, startFakeOanda } from "@shared/testing/fakes/fake-oanda.ts";
import { startFakeYahoo } from "@shared/testing/fakes/fake-yahoo.ts";
import { NOON } from "@shared/testing/made-market.ts";
import type { CandleSpan } from "@shared/testing/recorded-candles.ts";
import { storeTrade, tradeAnalysis } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createMarketData, type MarketDataSelection } from "../market-data/select-market-data.ts";
import { GUARD_LIMITS, silentLogger } from "../testing/fakes.ts";
import { CandleArchive } from "./candle-archive.ts";
import { MarketBackoff, resolveOutcomes } from "./resolve-outcomes.ts";

const SYMBOL = "XAU/USD";
const BLOCK_MS = 300 * MINUTE_MS;
/** On a Monday. A block of 300 minutes ends then. */
const BLOCK_END = Math.ceil(NOON / BLOCK_MS) * BLOCK_MS;
const MADE_AT = BLOCK_END - 20 * MINUTE_MS;
const PREMIUM = 1.007;
/** When trades are checked, after the end of the block: often while the stop and the block become known. */
const OFTEN = [-2, 0, 5, 8, 9, 10, 11, 13, 25, 26, 45, 62, 95];
/** Just before and after the stop, and then the block, become known to a feed that is ten minutes late. */
const IN_TIME = [-2, 8, 9, 10, 11, 25, 45];
/** Not while the newest candles of a feed that is late reach back over the end of the block. */
const RARELY = [-2, 0, 5, 6, 45, 62, 95];

/** Highs and lows of minutes; in all others the price stays at 100. */
type Moves = Readonly<Record<number, { high?: number; low?: number }>>;

/** Candles of a market with these moves, of any length. */
const marketWith = (moves: Moves, factor = 1) => {
  const moved = Object.entries(moves).map(([minute, move]) => ({
    minute: Number(minute),
    ...move,
  }));
  return ({ timeframe, from, count }: CandleSpan): Candle[] => {
    const lengthMs = TIMEFRAME_MS[timeframe];
    return Array.from({ length: count }, (_, index) => {
      const time = from + index * lengthMs;
      const within = moved.filter(({ minute }) => minute >= time && minute < time + lengthMs);
      const high = Math.max(101, ...within.map((move) => move.high ?? 101)) * factor;
      const low = Math.min(99, ...within.map((move) => move.low ?? 99)) * factor;
      return { time, open: 100 * factor, high, low, close: 100 * factor, volume: 1 };
    });
  };
};

describe("outcomes of gold by the feeds of OANDA and Yahoo", () => {
  let database: Database;
  let oanda: FakeCandleApi;
  let yahoo: FakeCandleApi;
  let selection: MarketDataSelection;
  let moves: { oanda: Moves; yahoo: Moves };
  let clock: number;
  /** Beyond the usual delay of futures. */
  let yahooLateMs: number;

  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
    oanda = await startFakeOanda({
      now: () => clock,
      candles: (span) => marketWith(moves.oanda)(span),
    });
    yahoo = await startFakeYahoo({
      now: () => clock - yahooLateMs,
      candles: (span) => marketWith(moves.yahoo, PREMIUM)(span),
    });
  });
  afterAll(() => Promise.all([oanda.close(), yahoo.close(), database.close()]));
  beforeEach(() => {
    oanda.reset();
    yahoo.reset();
    clock = MADE_AT;
    yahooLateMs = 0;
  });
  afterEach(() => selection.close());

  const worker = async (token?: string) => {
    selection = await createMarketData({
      settings: {
        MARKET_DATA: "live",
        EXCHANGES: [],
        OANDA_TOKEN: token,
        OANDA_URL: oanda.url,
        YAHOO_URL: yahoo.url,
      },
      now: () => clock,
      logger: silentLogger,
      limits: { guard: GUARD_LIMITS },
    });
    const archive = new CandleArchive({ live: selection.marketData, replay: undefined });
    const backoff = new MarketBackoff();
    const { signal: abort } = new AbortController();
    const deps = { database, archive, backoff, abort, logger: silentLogger };
    const now = () => new Date(clock);
    return () => resolveOutcomes({ ...deps, tradingCosts: DEFAULT_TRADING_COSTS, now });
  };
  const tradeOf = async (provider: string, factor = 1) => {
    const madeAt = new Date(MADE_AT);
    const analysis = tradeAnalysis(madeAt, {
      entry: 100 * factor,
      stop_loss: 95 * factor,
      take_profit: 110 * factor,
      suggested_hold: "200 candles",
    });
    const source = { ...analysis.source, provider, price: 100 * factor };
    const made = {
      symbol: SYMBOL,
      timeframe: "1m",
      madeAt,
      analysis: { ...analysis, source },
    } as const;
    return storeTrade(database, await createUser(database, { approved: true }), made);
  };
  const resolveAt = async (
    minutes: readonly number[],
    resolve: () => Promise<number>,
    before: (minute: number) => void,
  ) => {
    for (const minute of minutes) {
      clock = BLOCK_END + minute * MINUTE_MS + 5 * SECOND_MS;
      before(BLOCK_END + minute * MINUTE_MS);
      await resolve();
    }
  };
  const outcomeOf = async ({ analysisId }: Pick<SignalRecord, "analysisId">) => {
    const { outcome, resolution } = await database.marketAnalyses
      .findById(analysisId)
      .orFail()
      .lean();
    const { reason, provider_changed, resolved_at } = resolution ?? {};
    return { outcome, reason, provider_changed, resolved_at };
  };
  const after = (minute: number) => new Date(minute + MINUTE_MS).toISOString();
  const stoppedIn = (minute: number) => ({
    outcome: "LOSS",
    reason: "stop",
    provider_changed: undefined,
    resolved_at: after(minute),
  });

  const PAID = BLOCK_END + 28 * MINUTE_MS;
  const ONCE_LATE = {
    from: BLOCK_END - 2 * MINUTE_MS,
    until: BLOCK_END + 15 * MINUTE_MS,
    lateMs: 10 * MINUTE_MS,
  };

  it.each([
    ["as late as always", { minutes: IN_TIME, stopped: -2, from: 0, until: 0, lateMs: 0 }],
    [
      "once 20 minutes late, over the end of a block",
      { minutes: OFTEN, stopped: -2, ...ONCE_LATE },
    ],
    [
      "once 20 minutes late, and not asked again until the block is past",
      { minutes: RARELY, stopped: -12, ...ONCE_LATE },
    ],
    [
      "an hour late from the end of a block on",
      {
        minutes: OFTEN,
        stopped: -2,
        from: BLOCK_END,
        until: Number.POSITIVE_INFINITY,
        lateMs: 50 * MINUTE_MS,
      },
    ],
  ])(
    "are those of the first touch when Yahoo is %s",
    async (_, { minutes, stopped, from, until, lateMs }) => {
      const stoppedAt = BLOCK_END + stopped * MINUTE_MS;
      moves = { oanda: {}, yahoo: { [stoppedAt]: { low: 94 }, [PAID]: { high: 111 } } };
      const signal = await tradeOf("yahoo", PREMIUM);
      await resolveAt(minutes, await worker(), (minute) => {
        yahooLateMs = minute >= from && minute < until ? lateMs : 0;
      });
      expect(await outcomeOf(signal)).toEqual(stoppedIn(stoppedAt));
    },
    60_000,
  );

  const NEAR = BLOCK_END + 14 * MINUTE_MS;
  /** The first checks after the touch, when Yahoo shows it, too: after the second, a row that Yahoo lacks is no doubt. */
  const FOR_TWO_MINUTES = { from: BLOCK_END + 25 * MINUTE_MS, until: BLOCK_END + 27 * MINUTE_MS };
  const FOR_AN_HOUR = { from: BLOCK_END + 5 * MINUTE_MS, until: BLOCK_END + 65 * MINUTE_MS };
  /** Below the target; above it at Yahoo's prices. */
  const NEAR_TARGET = { high: 109.6 };

  it.each<[string, ServiceBehaviour, { from: number; until: number }]>([
    ["breaks its connections for two minutes", "down", FOR_TWO_MINUTES],
    ["makes no sense for two minutes", "garbage", FOR_TWO_MINUTES],
    ["is not available for an hour", "unavailable", FOR_AN_HOUR],
  ])(
    "are OANDA's when it %s, and Yahoo's prices are higher",
    async (_, behaviour, { from, until }) => {
      const touched = { [NEAR]: NEAR_TARGET, [PAID]: { low: 94 } };
      moves = { oanda: touched, yahoo: touched };
      const signal = await tradeOf("oanda");
      await resolveAt(OFTEN, await worker(FAKE_OANDA_TOKEN), (minute) =>
        oanda.behave(minute >= from && minute < until ? behaviour : "ok"),
      );
      expect(await outcomeOf(signal)).toEqual(stoppedIn(PAID));
    },
    60_000,
  );
});
