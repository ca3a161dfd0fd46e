import { HOUR_MS } from "@shared/contract/constants.ts";
import { activitySchema, MAX_ACTIVITY } from "@shared/contract/performance.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { createUser } from "@shared/testing/factories.ts";
import { createSignals, pendingTrade, resolvedTrade } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

const START = Date.UTC(2026, 10, 1);

describe("GET /activity", () => {
  let server: TestServer;
  let ann: UserRecord;
  let seq = 0;
  beforeAll(async () => {
    server = await startTestServer({ databaseUri: testDatabaseUri() });
    ann = await createUser(server.database);
  });
  afterAll(() => server.stop());

  async function resolve(hour: number, trade: { symbol?: string; data?: "live" | "replay" } = {}) {
    const { symbol = "BTC/USDT", data = "live" } = trade;
    const at = new Date(START + hour * HOUR_MS);
    const resolved = resolvedTrade({ outcome: "WIN", at, resolvedAt: at, source: { data } });
    seq += 1;
    const market = { ...resolved.market, ledgerSeq: 2 * seq, outcomeLedgerSeq: 2 * seq + 1 };
    await createSignals(server.database, ann, { ...resolved, symbol, market });
  }
  const read = async (headers: Record<string, string> = {}) => {
    const answer = await server.call("/activity", { headers });
    return { answer, body: answer.status === 200 ? await answer.json() : null };
  };
  const activity = async () => activitySchema.parse((await read()).body);
  /** An answer is kept for some seconds. */
  const eventually = (check: () => Promise<void>) =>
    vi.waitFor(check, { timeout: 30_000, interval: 400 });

  it("lists demo trades as such while there are no others", async () => {
    await resolve(1, { data: "replay" });
    expect(await activity()).toMatchObject({ data: "replay", items: [{ symbol: "BTC/USDT" }] });
  });

  it("lists the last live trades that are over, newest first, and no open ones", async () => {
    for (let hour = 0; hour < MAX_ACTIVITY + 2; hour++) await resolve(hour);
    await resolve(50, { symbol: "ETH/USDT" });
    await createSignals(server.database, ann, {
      ...pendingTrade({ at: new Date(START + 60 * HOUR_MS) }),
      symbol: "OPEN/USDT",
    });
    await eventually(async () => {
      const { data, items } = await activity();
      expect(data).toBe("live");
      expect(items).toHaveLength(MAX_ACTIVITY);
      expect(items[0]).toEqual({
        seq: 2 * seq + 1,
        symbol: "ETH/USDT",
        timeframe: "1h",
        signal: "BUY",
        entry: 100,
        stop_loss: 98,
        take_profit: 104,
        outcome: "WIN",
        r_multiple: 2,
        reason: "target",
        resolved_at: new Date(START + 50 * HOUR_MS).toISOString(),
      });
    });
    const times = (await activity()).items.map(({ resolved_at }) => resolved_at);
    expect(times).toEqual(times.toSorted().toReversed());
  });

  it("leaves out what is not in the ledger yet", async () => {
    const { marketAnalyses } = server.database;
    const newest = await marketAnalyses.findOne({ symbol: "ETH/USDT" }).lean();
    await marketAnalyses.updateOne({ _id: newest?._id }, { $unset: { outcomeLedgerSeq: 1 } });
    await eventually(async () => {
      const { items } = await activity();
      expect(items.map(({ symbol }) => symbol)).not.toContain("ETH/USDT");
    });
  });

  it("may be cached, is not sent again unchanged, and names no user", async () => {
    const { answer, body } = await read();
    expect(answer.headers.get("Cache-Control")).toBe("public, max-age=5");
    const tag = answer.headers.get("ETag") ?? "";
    expect((await read({ "If-None-Match": tag })).answer.status).toBe(304);
    expect(JSON.stringify(body)).not.toContain(ann.username);
  });

  it("is also an Atom feed, which readers poll for little", async () => {
    const { items } = await activity();
    const answer = await server.call("/feed.xml");
    expect(answer.headers.get("Content-Type")).toBe("application/atom+xml");
    const feed = await answer.text();
    const textsOf = (element: string) =>
      [...feed.matchAll(new RegExp(`<entry>.*?<${element}[^>]*>(.*?)</${element}>`, "gs"))].map(
        ([, text]) => text,
      );
    expect(feed).toContain('<feed xmlns="http://www.w3.org/2005/Atom">');
    expect(textsOf("title")).toHaveLength(items.length);
    expect(textsOf("title")).toContain("<![CDATA[BUY BTC/USDT 1h: WIN, +2.00 R]]>");
    expect(textsOf("updated")).toEqual(items.map(({ resolved_at }) => resolved_at));
    expect(textsOf("id")[0]).toContain(`/ledger?after=${(items[0]?.seq ?? 0) - 1}&amp;limit=1`);
    const known = { "If-None-Match": answer.headers.get("ETag") ?? "" };
    expect((await server.call("/feed.xml", { headers: known })).status).toBe(304);
  });

  it("says where a market had no prices any more, as it is unknown whether its entry was filled", async () => {
    await resolve(70, { symbol: "GONE/USDT" });
    await resolve(71, { symbol: "LEFT/USDT" });
    const { marketAnalyses } = server.database;
    const ended = { outcome: "EXPIRED", reason: "no-data" };
    for (const [symbol, r_multiple] of [
      ["GONE/USDT", null],
      ["LEFT/USDT", 0.4],
    ] as const) {
      const resolution = { ...ended, r_multiple };
      const fields = Object.entries(resolution).map(([name, value]) => [
        `resolution.${name}`,
        value,
      ]);
      const $set = { outcome: "EXPIRED", ...Object.fromEntries(fields) };
      await marketAnalyses.updateOne({ symbol }, { $set });
    }
    await eventually(async () => {
      const { items } = await activity();
      expect(items.slice(0, 2)).toMatchObject([
        { symbol: "LEFT/USDT", r_multiple: 0.4, reason: "no-data" },
        { symbol: "GONE/USDT", r_multiple: null, reason: "no-data" },
      ]);
      const feed = await (await server.call("/feed.xml")).text();
      expect(feed).toContain("BUY GONE/USDT 1h: EXPIRED, no more prices]]>");
      expect(feed).toContain("BUY LEFT/USDT 1h: EXPIRED, +0.40 R, no more prices]]>");
    });
  });

  it("is read by an index", async () => {
    const query = server.database.marketAnalyses
      .find({ "result.analysis.source.data": "live", outcome: { $exists: true } })
      .sort({ "resolution.resolved_at": -1 });
    expect(JSON.stringify(await query.explain("queryPlanner"))).toContain(
      '"indexName":"recent_outcomes"',
    );
  });
});
