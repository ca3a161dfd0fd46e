import { type Followed, followedSchema } from "@shared/contract/followed.ts";
import type { Analysis } from "@shared/contract/signal.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { packCandles } from "@shared/database/stored-candles.ts";
import {
  createChannel,
  createDelivery,
  createUser,
  signTokenFor,
} from "@shared/testing/factories.ts";
import { createSignals, WAIT_ANALYSIS } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 5);
const at = (minute: number) => new Date(START + minute * MINUTE);
const BUY: Analysis = {
  ...WAIT_ANALYSIS,
  final_signal: "BUY",
  confidence: 60,
  entry: 100,
  stop_loss: 90,
  take_profit: 120,
  valid_until: at(240).toISOString(),
  source: { ...WAIT_ANALYSIS.source, price: 100 },
};
const WIN = {
  outcome: "WIN",
  reason: "target",
  resolved_at: at(60).toISOString(),
  filled_at: at(1).toISOString(),
  fill: 100,
  exited_at: at(30).toISOString(),
  exit: 120,
  r_multiple: 1.9868,
  max_favourable_r: 2,
  max_adverse_r: 0,
  costs: { spread_percent: 0.02, commission_percent: 0.05 },
} as const;

describe("GET /me/followed", () => {
  let server: TestServer;
  let user: UserRecord;
  beforeAll(async () => {
    server = await startTestServer({
      databaseUri: testDatabaseUri(),
      environment: { RATE_LIMIT: "off" },
    });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    user = await createUser(server.database, { approved: true });
  });

  const addTrades = async (
    more: NonNullable<Parameters<typeof createSignals>[2]> = {},
    resolution: object = WIN,
  ) => {
    const trade = { analysis: BUY, outcome: "WIN", createdAt: at(0), finishedAt: at(0) } as const;
    const signals = await createSignals(server.database, user, { ...trade, ...more });
    const ids = signals.map(({ analysisId }) => analysisId);
    await server.database.marketAnalyses.updateMany(
      { _id: { $in: ids } },
      { $set: { resolution } },
    );
    return signals;
  };
  const addCandles = (signals: SignalRecord[]) =>
    server.database.outcomeCandles.insertMany(
      signals.map(({ analysisId: _id }) => ({
        _id,
        ...packCandles(
          Array.from({ length: 12 }, (_, candle) => ({
            ...{
              time: at(candle * 5).getTime(),
              open: 100 + candle,
              high: 112,
              low: 99,
              close: 101,
            },
            volume: 1,
          })),
        ),
      })),
    );
  const follow = async (query = ""): Promise<Followed> => {
    const token = signTokenFor(user, server.deps.settings);
    const answer = await server.call(`/me/followed${query}`, { token });
    expect(answer.status).toBe(200);
    return followedSchema.parse(await answer.json());
  };

  it("has the results of the ledger in R without a delay", async () => {
    await addTrades({ count: 2 });
    await addTrades({}, { ...WIN, r_multiple: -1.0126, exited_at: at(90).toISOString() });
    const followed = await follow("?start_balance=2000&risk_percent=2");
    expect(followed.results.map(({ r_multiple }) => r_multiple)).toEqual([1.9868, 1.9868, -1.0126]);
    expect(followed).toMatchObject({ start_balance: 2_000, end_balance: 2_118.44, trades: 3 });
  });

  it("leaves out the signals of others, waits, and what the filters leave out", async () => {
    const stranger = await createUser(server.database, { approved: true });
    await createSignals(server.database, stranger, { analysis: BUY });
    await addTrades();
    await addTrades({
      symbol: "ETH/USDT",
      timeframe: "4h",
      origin: "watchlist",
      createdAt: at(60),
    });
    await createSignals(server.database, user);
    expect((await follow()).trades).toBe(2);
    for (const query of [
      ...["symbol=eth/usdt", "timeframe=4h", "origin=watchlist", `since=${at(60).toISOString()}`],
      `until=${at(60).toISOString()}`,
    ]) {
      expect({ query, trades: (await follow(`?${query}`)).trades }).toEqual({ query, trades: 1 });
    }
    expect((await follow("?min_confidence=60")).trades).toBe(2);
    expect((await follow("?min_confidence=61")).trades).toBe(0);
  });

  it("pays the funding that was known when a trade of crypto was made, also when asked again", async () => {
    const held = { ...WIN, exited_at: at(24 * 60).toISOString() };
    await addTrades({ market: { funding: { percent: 0.05, hours: 8 } } }, held);
    await addTrades({ symbol: "ETH/USDT" }, held);
    for (const _ of ["first", "again"]) {
      const { results, ...account } = await follow();
      expect(account).toMatchObject({ trades: 2, funding: -0.15, without_funding: 1 });
      expect(account.end_balance).toBe(1_039.59);
      expect(results.map(({ funding, profit }) => [funding, profit])).toEqual([
        [-0.15, 19.72],
        [0, 19.87],
      ]);
      expect(results.map(({ r_multiple }) => r_multiple)).toEqual([1.9868, 1.9868]);
    }
  });

  it("skips what has not ended or was not filled", async () => {
    await addTrades(
      {},
      { ...WIN, fill: null, exit: null, filled_at: null, exited_at: null, r_multiple: null },
    );
    await createSignals(server.database, user, { analysis: BUY });
    const { skipped } = await follow();
    expect(skipped).toEqual(
      expect.arrayContaining([
        { reason: "not-filled", count: 1 },
        { reason: "pending", count: 1 },
      ]),
    );
  });

  it("enters at the open of the next stored candle that the delay allows", async () => {
    await addCandles(await addTrades());
    const fills = async (delay: string) =>
      (await follow(`?delay=${delay}`)).results.map(({ fill }) => fill);
    expect(await fills("0")).toEqual([100]);
    expect(await fills("1m")).toEqual([100]);
    expect(await fills("5m")).toEqual([101]);
    expect(await fills("15m")).toEqual([103]);
  });

  it("enters after the user's message has arrived", async () => {
    await addCandles(await addTrades());
    const channel = await createChannel(server, user, "https://192.88.98.1/hook");
    await createDelivery(server.database, channel, {
      ...{ type: "signal.completed", status: "delivered", eventAt: at(0), deliveredAt: at(17) },
    });
    const { results } = await follow("?delay=delivered");
    expect(results).toMatchObject([{ fill: 104, entered_at: at(20).toISOString() }]);
  });

  it.each([
    "start_balance=0",
    "start_balance=x",
    "risk_percent=0",
    "risk_percent=101",
    "delay=2m",
    "min_confidence=101",
    "since=yesterday",
  ])("refuses ?%s", async (query) => {
    const token = signTokenFor(user, server.deps.settings);
    expect((await server.call(`/me/followed?${query}`, { token })).status).toBe(422);
  });
});
