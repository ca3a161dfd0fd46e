import { DAY_MS } from "@shared/contract/constants.ts";
import { performanceSchema, recordPartsSchema } from "@shared/contract/performance.ts";
import type { Resolution } from "@shared/contract/resolution.ts";
import { createUser } from "@shared/testing/factories.ts";
import { createSignals, resolvedTrade } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { updatePerformanceStats } from "../../../../worker/src/record/performance-stats.ts";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

describe("GET /performance", () => {
  let server: TestServer;
  let userId: string;
  beforeAll(async () => {
    server = await startTestServer({ databaseUri: testDatabaseUri() });
    const user = await createUser(server.database, { username: "known-by-name" });
    userId = String(user._id);
    for (let day = 0; day < 20; day += 1) {
      const at = new Date(Date.now() - day * DAY_MS);
      const win = resolvedTrade({ outcome: "WIN", at, resolvedAt: at, calibrated: 55 });
      const loss = resolvedTrade({ outcome: "LOSS", at, resolvedAt: at });
      await createSignals(server.database, user, { count: 2, ...(day < 10 ? win : loss) });
    }
    await updatePerformanceStats(server.deps);
  });
  afterAll(() => server.stop());

  const performance = async (query = "") => {
    const answer = await server.call(`/performance${query}`);
    const text = await answer.text();
    return { answer, text, body: performanceSchema.parse(JSON.parse(text)) };
  };

  it("gives anybody the figures, each with its interval, and lets them be cached for half a minute", async () => {
    const { answer, body } = await performance();
    expect(answer.headers.get("Cache-Control")).toBe("public, max-age=30");
    expect(body.counts).toMatchObject({ decided: 40, wins: 20, losses: 20 });
    expect(body.win_rate?.value).toBe(0.5);
    expect(body.no_edge_rate).toBeCloseTo(1 / 3, 9);
    expect(body.lift?.value).toBeCloseTo(1 / 6, 9);
    expect(body.effective_trades).toBe(19);
    expect(body.expectancy_r?.value).toBeCloseTo(0.5, 9);
    expect(body.calibrated.decided).toBe(20);
  });

  it("says what the costs need, how sure the edge is, and how the stated chances do against the levels", async () => {
    const { body } = await performance();
    const { lift, edge_bounds: bounds, confidence } = body;
    // The results of these trades have no costs.
    expect(body.break_even_edge).toBeCloseTo(0, 9);
    expect(bounds?.low).toBeLessThan(lift?.low ?? 0);
    expect(bounds?.high).toBeGreaterThan(lift?.high ?? 0);
    expect(body.more_trades_to_know).toBeGreaterThan(0);
    // Half of them reached a target twice as far away as the stop.
    expect(body.baseline_brier).toBeCloseTo(((2 / 3) ** 2 + (1 / 3) ** 2) / 2, 9);
    const skill = 1 - (confidence.brier ?? 0) / (body.baseline_brier ?? 0);
    expect(body.brier_skill?.value).toBeCloseTo(skill, 9);
    expect(body.waits).toMatchObject({ judged: 0, expectancy_r: null });
    const { models } = body;
    expect(body.model).toBe(models[0]?.model);
    expect((await performance("?model=another")).body.model).toBe("another");
  });

  it("gives the record of one analyst version and model by class and by timeframe", async () => {
    const { body } = await performance();
    const [author] = body.recorded.analysts;
    const query = new URLSearchParams({ ...author });
    const answer = await server.call(`/performance/parts?${query}`);
    expect(answer.headers.get("Cache-Control")).toBe("public, max-age=30");
    const { classes, timeframes } = recordPartsSchema.parse(await answer.json());
    expect(classes.map(({ class: name, trades }) => [name, trades])).toEqual([["crypto", 40]]);
    expect(timeframes).toMatchObject([{ trades: 40, lift: body.lift, counts: { decided: 40 } }]);
    const none = await server.call("/performance/parts?analyst=rules&version=rules/0&model=none");
    expect(await none.json()).toEqual({ classes: [], timeframes: [] });
    expect((await server.call("/performance/parts?analyst=rules")).status).toBe(422);
  });

  it("does not name the owners of the signals", async () => {
    const { text } = await performance();
    expect(text).not.toContain(userId);
    expect(text).not.toContain("known-by-name");
    const signals = await server.database.signals.find().select({ _id: 1 }).lean();
    expect(signals.filter(({ _id }) => text.includes(String(_id)))).toEqual([]);
    const days = JSON.stringify(await server.database.performanceDays.find().lean());
    expect(days).not.toContain(userId);
  });

  it("takes filters, in lower case too", async () => {
    expect((await performance("?symbol=btc/usdt&period=30d")).body.counts.decided).toBe(40);
    expect((await performance("?class=forex")).body.counts.decided).toBe(0);
    const demo = await performance("?data=replay");
    expect(demo.body.counts.decided).toBe(0);
    // A worker may be making it.
    expect(demo.answer.headers.get("Cache-Control")).toBe("public, max-age=3");
  });

  it("answers the same for half a minute, whatever happens to the record", async () => {
    const before = await performance("?timeframe=1h");
    const days = await server.database.performanceDays.find({}).lean();
    await server.database.performanceDays.deleteMany({});
    const again = await performance("?timeframe=1h");
    const other = await performance("?timeframe=1h&period=90d");
    await server.database.performanceDays.insertMany(days);
    expect(before.body.counts.decided).toBe(40);
    expect(again.text).toBe(before.text);
    expect(other.body.counts.decided).toBe(0);
  });

  it("exports the closed trades of a choice of filters with units and the ids of their analyses", async () => {
    const exported = async (query: string) =>
      (await server.call(`/performance/export?${query}`)).text();
    const answer = await server.call("/performance/export?period=7d");
    expect(answer.headers.get("Content-Type")).toBe("text/csv; charset=utf-8");
    expect(answer.headers.get("Content-Disposition")).toMatch(
      /^attachment; filename="performance-/,
    );
    const [names = "", ...lines] = (await answer.text()).trimEnd().split("\r\n");
    expect(names.split(",")).toEqual(
      expect.arrayContaining(["entry_quote_currency", "result_r_after_fees", "analysis_id"]),
    );
    expect(lines).toHaveLength(14);
    const rows = z
      .array(
        z.object({ analysis_id: z.string(), outcome: z.string(), resolved_at_utc: z.string() }),
      )
      .parse(JSON.parse(await exported("format=json")));
    expect(rows).toHaveLength(40);
    const times = rows.map(({ resolved_at_utc }) => resolved_at_utc);
    expect(times).toEqual(times.toSorted());
    const ids = (await server.database.marketAnalyses.distinct("_id")).map(String);
    expect(ids).toEqual(expect.arrayContaining(rows.map(({ analysis_id }) => analysis_id)));
    expect(JSON.stringify(rows)).not.toContain(userId);
    expect(await exported("data=replay&format=json")).toBe("[]\n");
    expect(await exported("class=forex")).toBe("");
  });

  it("exports who decided a trade, and until when its market had prices", async () => {
    const at = new Date("2025-06-02T12:00:00.000Z");
    const trade = resolvedTrade({ outcome: "EXPIRED", at, resolvedAt: at });
    const change = { provider: "kraken", provider_changed_at: at.toISOString() };
    const user = await createUser(server.database);
    const store = async (timeframe: "30m" | "4h", end: Partial<Resolution>) => {
      const market = { ...trade.market };
      if (market.resolution) market.resolution = { ...market.resolution, ...end };
      await createSignals(server.database, user, { ...trade, timeframe, market });
    };
    await store("30m", { ...change, provider_changed: true });
    await store("4h", { reason: "no-data", known_until: at.toISOString() });
    const exported = async (timeframe: string) => {
      const answer = await server.call(`/performance/export?format=json&timeframe=${timeframe}`);
      return answer.json();
    };
    expect(await exported("30m")).toMatchObject([
      {
        outcome_provider: "kraken",
        provider_changed: true,
        provider_changed_at_utc: at.toISOString(),
        known_until_utc: null,
      },
    ]);
    const [ended] = await exported("4h");
    expect(ended).toMatchObject({
      reason: "no-data",
      outcome_provider: ended.provider,
      provider_changed: false,
      provider_changed_at_utc: null,
      known_until_utc: at.toISOString(),
    });
    const csv = await (await server.call("/performance/export?timeframe=30m")).text();
    const [names = [], values = []] = csv.split("\r\n").map((line) => line.split(","));
    expect(values[names.indexOf("outcome_provider")]).toBe("kraken");
  });

  it.each([
    ["period=1d", "period"],
    ["data=none", "data"],
    ["class=shares", "class"],
    ["timeframe=7h", "timeframe"],
    ["symbol=%24", "symbol"],
    ["version=rules/1", "version"],
    ["analyst=rules&version=", "version"],
    ["symbol=BTC/USDT&symbol=ETH/USDT", "symbol"],
  ])("refuses %s", async (query, field) => {
    const answer = await server.call(`/performance?${query}`);
    expect(answer.status).toBe(422);
    const { errors } = await answer.json();
    expect(errors[0].field).toBe(field);
  });
});
