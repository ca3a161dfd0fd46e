import { HOUR_MS, MINUTE_MS } from "@shared/contract/constants.ts";
import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { signalRequestSchema } from "@shared/contract/signal.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { joiningAnalyses } from "@shared/domain/queue-analysis.ts";
import { newSignalId, queueSignal } from "@shared/domain/queue-signal.ts";
import { commitBatched } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { createUser } from "@shared/testing/factories.ts";
import { createSignals, tradeAnalysis, WAIT_ANALYSIS } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import type { Types } from "mongoose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { CandleRequest, CandleSeries, MarketData } from "../market-data/market-data.ts";
import { ProviderError } from "../market-data/market-data.ts";
import { patient, silentLogger } from "../testing/fakes.ts";
import { reuseAnalysis } from "./reuse-analysis.ts";

/** Close of the last candle of all analyses; all timeframes have one then. */
const CLOSED_AT = Date.UTC(2026, 10, 20);
const KEY = "shared";

describe("a finished trade that is requested again", () => {
  let database: Database;
  let ann: UserRecord;

  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    await Promise.all([database.marketAnalyses.deleteMany(), database.jobs.deleteMany()]);
    await Promise.all([database.signals.deleteMany(), database.events.deleteMany()]);
    ann = await createUser(database, { approved: true });
  });

  /** A BUY at 100 with stop 95 and target 110 that another user has requested. */
  async function storeBuy(timeframe: Timeframe, analysis = {}): Promise<Types.ObjectId> {
    const other = await createUser(database);
    const [signal] = await createSignals(database, other, {
      timeframe,
      analysis: { ...tradeAnalysis(new Date(CLOSED_AT)), ...analysis },
      market: { key: KEY, candleClosedAt: new Date(CLOSED_AT) },
    });
    if (!signal) throw new Error("there is no signal");
    return signal.analysisId;
  }
  /** As a server does. */
  async function request(timeframe: Timeframe, user = ann): Promise<Types.ObjectId> {
    const id = newSignalId();
    const order = signalRequestSchema.parse({ symbol: "BTC/USDT", timeframe });
    const join = { database, userId: user._id, request: order, key: KEY };
    const options = {
      lockKeys: userStream(user._id),
      groupCommit: true,
      batch: {
        write: joiningAnalyses,
        input: (at: Date) => ({ ...join, candleClosedAt: new Date(CLOSED_AT), at }),
      },
    };
    await commitBatched(database, options, (uow, joined) =>
      queueSignal(database, uow, { id, userId: user._id, request: order, joined }),
    );
    return id;
  }
  const reuse = (analysisId: Types.ObjectId, market: MarketData, now: number) =>
    reuseAnalysis(
      { database, logger: silentLogger, marketData: market, now: () => new Date(now) },
      analysisId,
      patient(),
    );
  const stored = (id: Types.ObjectId) => database.signals.findById(id).orFail().lean();
  const eventsOf = async ({ _id }: UserRecord) => {
    const events = await database.events.find({ stream: userStream(_id) }).sort({ seq: 1 });
    return events.map(({ name }) => name);
  };

  it.each<{ timeframe: Timeframe; price: Partial<Candle>; left: number }>([
    { timeframe: "1h", price: { low: 94 }, left: 95 },
    { timeframe: "4h", price: { low: 94 }, left: 95 },
    { timeframe: "1d", price: { low: 94 }, left: 95 },
    { timeframe: "1d", price: { high: 111 }, left: 110 },
    { timeframe: "4h", price: { close: 103 }, left: 103 },
  ])(
    "of $timeframe is a WAIT from the minute on in which the price was $price",
    async ({ timeframe, price, left }) => {
      const analysisId = await storeBuy(timeframe);
      const now = CLOSED_AT + 58 * MINUTE_MS;
      const at = CLOSED_AT + 56 * MINUTE_MS;
      const changes = { [at]: price };
      const before = await request(timeframe);
      await reuse(analysisId, minutesOf({ now: at, changes }), at);
      expect((await stored(before)).analysis).toMatchObject({ final_signal: "BUY" });
      const after = await request(timeframe);
      await reuse(analysisId, minutesOf({ now, changes }), now);
      const { status, analysis } = await stored(after);
      expect({ status, analysis }).toMatchObject({
        status: "completed",
        analysis: { final_signal: "WAIT", entry: null, suggested_units: 0, confidence: 0 },
      });
      const nextClose = new Date(CLOSED_AT + TIMEFRAME_MS[timeframe]).toISOString().slice(11, 16);
      expect(analysis?.warnings).toEqual([
        `The entry is missed: the price was ${left} at 00:57 UTC. The next candle closes at ${nextClose} UTC.`,
      ]);
      expect(await database.marketAnalyses.findById(analysisId).lean()).toMatchObject({
        entryLeft: { price: left, at: new Date(at + MINUTE_MS) },
      });
    },
  );

  it("is a WAIT if the newest price is outside the zone, before its minute has closed", async () => {
    const analysisId = await storeBuy("1h");
    const id = await request("1h");
    const now = CLOSED_AT + 5 * MINUTE_MS + 20_000;
    const open = candleAt(CLOSED_AT + 5 * MINUTE_MS, { close: 97 });
    await reuse(analysisId, minutesOf({ now, open }), now);
    expect((await stored(id)).analysis?.warnings).toEqual([
      expect.stringContaining("the price was 97 at 00:05 UTC."),
    ]);
  });

  it("is sized for the user while its entry is valid, with the events of every signal", async () => {
    const analysisId = await storeBuy("4h");
    const filled = { price: 100, at: new Date(CLOSED_AT + MINUTE_MS) };
    await database.marketAnalyses.updateOne({ _id: analysisId }, { $set: { filled } });
    const id = await request("4h");
    expect(await stored(id)).toMatchObject({ status: "running" });
    expect(await eventsOf(ann)).toEqual(["signal:queued", "signal:started"]);
    const now = CLOSED_AT + HOUR_MS;
    await reuse(analysisId, minutesOf({ now }), now);
    expect(await stored(id)).toMatchObject({
      status: "completed",
      filled,
      analysis: { final_signal: "BUY", estimated_dollar_risk: 1 },
    });
    expect(await eventsOf(ann)).toEqual([
      "signal:queued",
      "signal:started",
      "signal:completed",
      "signal:filled",
    ]);
    expect((await database.users.findById(ann._id).lean())?.unfinishedSignals).toBe(0);
  });

  it("is a WAIT that says so if its provider gives no prices, and is checked again for the next", async () => {
    const analysisId = await storeBuy("1h");
    const now = CLOSED_AT + 10 * MINUTE_MS;
    const markets: MarketData[] = [
      { candles: () => Promise.reject(new Error("down")) },
      {
        candles: async (asked) => ({ ...(await minutesOf({ now }).candles(asked)), provider: "b" }),
      },
      minutesOf({ now: CLOSED_AT - HOUR_MS }),
    ];
    for (const market of markets) {
      const id = await request("1h");
      await reuse(analysisId, market, now);
      expect((await stored(id)).analysis).toMatchObject({
        final_signal: "WAIT",
        suggested_units: 0,
        warnings: [
          "The entry could not be checked: scripted gave no prices since the analysis. The next candle closes at 01:00 UTC.",
        ],
      });
    }
    const id = await request("1h");
    await reuse(analysisId, minutesOf({ now }), now);
    expect((await stored(id)).analysis?.final_signal).toBe("BUY");
  });

  it("is checked once for all who wait, and once more for one who comes during the check", async () => {
    const analysisId = await storeBuy("1h");
    const users = await Promise.all(Array.from({ length: 30 }, () => createUser(database)));
    const ids = await Promise.all(users.map((user) => request("1h", user)));
    const now = CLOSED_AT + 10 * MINUTE_MS;
    const late: Types.ObjectId[] = [];
    let isLeft = false;
    const asked: CandleRequest[] = [];
    const market: MarketData = {
      async candles(candleRequest) {
        asked.push(candleRequest);
        const series = await minutesOf({
          now,
          changes: isLeft ? { [CLOSED_AT]: { low: 90 } } : {},
        }).candles(candleRequest);
        if (!isLeft) late.push(await request("1h"));
        isLeft = true;
        return series;
      },
    };
    // As its items are done: at the same time, and that of the late one after them.
    await Promise.all(ids.map(() => reuse(analysisId, market, now)));
    expect(late).toHaveLength(1);
    await reuse(analysisId, market, now);
    expect(asked).toHaveLength(2);
    expect(asked[0]).toMatchObject({ timeframe: "1m", only: "scripted", withOpen: true });
    for (const id of ids) expect((await stored(id)).analysis?.final_signal).toBe("BUY");
    for (const id of late) expect((await stored(id)).analysis?.final_signal).toBe("WAIT");
  });

  it("is checked by longer candles where its minutes are too many, or not kept by the provider", async () => {
    const analysisId = await storeBuy("1d");
    const now = CLOSED_AT + 20 * HOUR_MS;
    for (const kept of [Number.POSITIVE_INFINITY, 120]) {
      await database.marketAnalyses.updateOne({ _id: analysisId }, { $unset: { entryLeft: 1 } });
      const asked: CandleRequest[] = [];
      const market = minutesOf({
        now,
        changes: { [CLOSED_AT + HOUR_MS]: { low: 95 } },
        asked,
        kept,
      });
      const id = await request("1d");
      await reuse(analysisId, market, now);
      expect(asked.map(({ timeframe }) => timeframe)).toEqual(["1m", "5m"]);
      expect(asked.every(({ limit }) => limit <= 1_000)).toBe(true);
      expect((await stored(id)).analysis?.warnings).toEqual([
        expect.stringContaining("the price was 95 at 01:05 UTC."),
      ]);
    }
    const id = await request("1h");
    expect((await stored(id)).analysis?.final_signal).toBe("WAIT");
  });

  it("needs no worker if it is known to be missed or over, or is a WAIT", async () => {
    const wait = await storeBuy("1h", WAIT_ANALYSIS);
    expect(await stored(await request("1h"))).toMatchObject({ status: "completed" });
    await database.marketAnalyses.deleteOne({ _id: wait });
    const over = await storeBuy("1h");
    const resolution = { exit: 95, resolved_at: new Date(CLOSED_AT + MINUTE_MS).toISOString() };
    await database.marketAnalyses.updateOne({ _id: over }, { outcome: "LOSS", resolution });
    const { status, analysis } = await stored(await request("1h"));
    expect(status).toBe("completed");
    expect(analysis?.warnings).toEqual([expect.stringContaining("the price was 95 at 00:01 UTC.")]);
    expect(await database.jobs.countDocuments()).toBe(0);
  });
});

const candleAt = (time: number, change: Partial<Candle> = {}): Candle => ({
  time,
  open: 100,
  high: 101,
  low: 99,
  close: 100,
  volume: 1,
  ...change,
});

/** The market of provider `scripted`, which stays at 100 but for `changes` in minutes that open at these times. */
function minutesOf(market: {
  now: number;
  changes?: Record<number, Partial<Candle>>;
  open?: Candle;
  asked?: CandleRequest[];
  /** How many candles the provider has at most. */
  kept?: number;
}): MarketData {
  const { now, changes = {}, open, asked = [], kept = Number.POSITIVE_INFINITY } = market;
  return {
    async candles(request): Promise<CandleSeries> {
      asked.push(request);
      if (request.only !== "scripted") {
        throw new ProviderError({ provider: "none", failure: "unknown-symbol", message: "other" });
      }
      const lengthMs = TIMEFRAME_MS[request.timeframe];
      const end = Math.floor(now / lengthMs) * lengthMs;
      const count = Math.min(
        request.limit,
        request.timeframe === "1m" ? kept : Number.POSITIVE_INFINITY,
      );
      const candles = Array.from({ length: count }, (_, index) => {
        const time = end - (count - index) * lengthMs;
        const change = Object.entries(changes).find(
          ([at]) => Number(at) >= time && Number(at) < time + lengthMs,
        );
        return candleAt(time, change?.[1]);
      });
      return { candles, ...(open && { open }), provider: "scripted", data: "live", notes: [] };
    },
  };
}
