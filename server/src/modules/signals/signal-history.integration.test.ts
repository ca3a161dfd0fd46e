import { DEFAULT_TRADING_COSTS, type Resolution } from "@shared/contract/resolution.ts";
import {
  type HistoryItem,
  historyPageSchema,
  type Outcome,
  type SignalKind,
} from "@shared/contract/signal.ts";
import type { Database } from "@shared/database/database.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { createUser } from "@shared/testing/factories.ts";
import { createSignals, WAIT_ANALYSIS } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { Types } from "mongoose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiClient } from "../../testing/start-live-server.ts";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

const NOT_FILLED: Resolution = {
  outcome: "EXPIRED",
  reason: "not-filled",
  resolved_at: "2026-01-02T00:00:00.000Z",
  filled_at: null,
  fill: null,
  exited_at: null,
  exit: null,
  r_multiple: null,
  max_favourable_r: null,
  max_adverse_r: null,
  costs: DEFAULT_TRADING_COSTS.crypto,
};

describe("GET /signal-history with a filter", () => {
  let server: TestServer;
  let database: Database;
  let api: ApiClient;
  let ann: UserRecord;
  beforeAll(async () => {
    server = await startTestServer({ databaseUri: testDatabaseUri() });
    database = server.database;
    api = new ApiClient({ url: server.url, settings: server.deps.settings });
    ann = await createUser(database, { approved: true });
    await store({ symbol: "BTC/USDT", signal: "BUY", outcome: "WIN" });
    await store({ symbol: "BTC/USDT", signal: "SELL", outcome: "LOSS" });
    await store({ symbol: "ETH/USDT", signal: "BUY" });
    await store({ symbol: "EUR/USD", signal: "WAIT" });
    await store({ symbol: "XAU/USD", signal: "BUY", outcome: "EXPIRED" });
    await store({ symbol: "XAU/USD", signal: "WAIT", status: "failed" });
    await store({ symbol: "XAU/USD", signal: "BUY", status: "running" });
    const ben = await createUser(database, { approved: true });
    await createSignals(database, ben, { symbol: "BTC/USDT", outcome: "WIN" });
  });
  afterAll(() => server.stop());

  let minutes = 0;
  function store({ signal, ...fields }: Partial<SignalRecord> & { signal: SignalKind }) {
    const createdAt = new Date(Date.UTC(2026, 0, 1, 0, minutes++));
    const analysis = { ...WAIT_ANALYSIS, final_signal: signal };
    return createSignals(database, ann, { analysis, createdAt, ...fields });
  }
  const read = async (query: string) => {
    const { status, body } = await api.call(`/signal-history?${query}`, { user: ann });
    expect(status).toBe(200);
    return historyPageSchema.strict().parse(body);
  };
  const summary = ({ symbol, signal, outcome }: HistoryItem) =>
    `${symbol} ${signal} ${outcome ?? "PENDING"}`;
  const find = async (query: string) => (await read(query)).signals.map(summary);

  it.each([
    ["symbol=BTC/USDT", ["BTC/USDT SELL LOSS", "BTC/USDT BUY WIN"]],
    ["symbol=usdt", ["ETH/USDT BUY PENDING", "BTC/USDT SELL LOSS", "BTC/USDT BUY WIN"]],
    ["symbol=%20e", ["EUR/USD WAIT PENDING", "ETH/USDT BUY PENDING"]],
    ["timeframe=1d", []],
    ["timeframe=1h&symbol=EUR", ["EUR/USD WAIT PENDING"]],
    ["origin=watchlist", []],
    ["origin=request&symbol=EUR", ["EUR/USD WAIT PENDING"]],
    [
      "since=2026-01-01T00:01:00Z&until=2026-01-01T00:03:00Z",
      ["ETH/USDT BUY PENDING", "BTC/USDT SELL LOSS"],
    ],
    ["signal=WAIT", ["XAU/USD WAIT PENDING", "EUR/USD WAIT PENDING"]],
    ["outcome=WIN", ["BTC/USDT BUY WIN"]],
    ["outcome=PENDING", ["ETH/USDT BUY PENDING"]],
    ["signal=WAIT&outcome=PENDING", []],
    ["signal=BUY&outcome=PENDING", ["ETH/USDT BUY PENDING"]],
    ["symbol=XAU&signal=BUY&outcome=EXPIRED", ["XAU/USD BUY EXPIRED"]],
    ["symbol=BTC&signal=WAIT", []],
    ["symbol=NOSUCH", []],
  ])("%s gives the user's own that fit, newest first", async (query, expected) => {
    expect(await find(query)).toEqual(expected);
  });

  it("is read page by page, each signal once, also those of one moment", async () => {
    const user = await createUser(database, { approved: true });
    const outcome = "LOSS";
    await createSignals(database, user, { count: 5, outcome });
    await createSignals(database, user, { count: 3 });
    await createSignals(database, user, { count: 2, outcome, createdAt: new Date(0) });
    const seen = new Set<string>();
    const sizes: number[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const path = `/signal-history?limit=3&outcome=LOSS${cursor && `&cursor=${cursor}`}`;
      const page = historyPageSchema.parse((await api.call(path, { user })).body);
      for (const { id } of page.signals) seen.add(id);
      sizes.push(page.signals.length);
      cursor = page.next_cursor;
    }
    expect(sizes).toEqual([3, 3, 1]);
    expect(seen.size).toBe(7);
  });

  it.each(["symbol=BTC", "signal=SELL", "outcome=LOSS", "outcome=PENDING"])(
    "looks at no more signals than it gives for %s",
    async (query) => {
      const user = await createUser(database, { approved: true });
      const analysis = { ...WAIT_ANALYSIS, final_signal: "SELL" } as const;
      const createdAt = new Date(Date.UTC(2026, 5, 1));
      await createSignals(database, user, { count: 300, outcome: "WIN", symbol: "ETH/USDT" });
      await createSignals(database, user, { count: 10, analysis, createdAt });
      await createSignals(database, user, { count: 10, analysis, createdAt, outcome: "LOSS" });
      await database.connection.db?.command({ profile: 2 });
      const path = `/signal-history?limit=5&cursor=${Date.now()}_${"f".repeat(24)}&${query}`;
      expect((await api.call(path, { user })).status).toBe(200);
      await database.connection.db?.command({ profile: 0 });
      const [run] = await database.connection
        .collection("system.profile")
        .find({ "command.find": "signals", "command.filter.userId": user._id })
        .toArray();
      expect(run).toMatchObject({ nreturned: 6 });
      expect(run?.docsExamined).toBeLessThanOrEqual(12);
      expect(run).not.toHaveProperty("hasSortStage");
    },
  );

  it("shows how each trade ended, and sums the trades that match: those of one analysis once", async () => {
    const user = await createUser(database, { approved: true });
    const analysis = { ...WAIT_ANALYSIS, final_signal: "BUY", estimated_dollar_risk: 5 } as const;
    const end = (outcome: Outcome, r: number | null, reason: Resolution["reason"] = "target") =>
      createSignals(database, user, {
        analysis,
        outcome,
        market: { resolution: { ...NOT_FILLED, outcome, reason, r_multiple: r } },
      });
    const [won] = await end("WIN", 1.5);
    if (won)
      await createSignals(database, user, {
        ...won,
        _id: new Types.ObjectId(),
        withAnalysis: false,
      });
    await end("LOSS", -1);
    await end("EXPIRED", null, "no-data");
    await createSignals(database, user, { analysis });
    const page = await api.call("/signal-history", { user });
    const endings = historyPageSchema
      .parse(page.body)
      .signals.map(({ r_multiple: r, without_data: lost, estimated_dollar_risk: risk }) => [
        r,
        lost,
        risk,
      ]);
    expect(endings).toEqual(
      expect.arrayContaining([
        [1.5, undefined, 5],
        [-1, undefined, 5],
        [undefined, true, 5],
        [undefined, undefined, 5],
      ]),
    );
    const sum = async (query: string) =>
      (await api.call(`/signal-history/totals?${query}`, { user })).body;
    expect(await sum("")).toEqual({
      signals: 5,
      trades: 2,
      wins: 1,
      r: 0.5,
      win_rate: { value: 0.5, low: expect.closeTo(0.0945, 3), high: expect.closeTo(0.9055, 3) },
    });
    expect(await sum("outcome=LOSS")).toMatchObject({ signals: 1, trades: 1, wins: 0, r: -1 });
    expect(await sum("outcome=PENDING")).toMatchObject({ signals: 1, trades: 0, win_rate: null });
  });

  it.each([
    "symbol=",
    "symbol=B%24",
    `symbol=${"B".repeat(21)}`,
    "symbol=BTC&symbol=ETH",
    "symbol[$ne]=BTC&symbol=",
    "signal=buy",
    "signal=",
    "outcome=DRAW",
    "timeframe=2h",
    "origin=admin",
    "since=yesterday",
    "until=2026-01-01",
    "outcome=WIN&outcome=LOSS",
  ])("refuses %s", async (query) => {
    const answer = await api.call(`/signal-history?${query}`, { user: ann });
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid-input" } });
  });
});
