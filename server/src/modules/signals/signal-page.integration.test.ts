import { HOUR_MS, MINUTE_MS } from "@shared/contract/constants.ts";
import {
  sharedSignalSchema,
  shareLinkSchema,
  signalProgressSchema,
} from "@shared/contract/resolution.ts";
import type { Database } from "@shared/database/database.ts";
import { marketKey } from "@shared/database/models/market-analysis.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { PUSH_WAIT } from "@shared/testing/api-client.ts";
import { createUser } from "@shared/testing/factories.ts";
import { storeTrade, tradeAnalysis } from "@shared/testing/signal-factory.ts";
import { type SpawnedService, spawnService } from "@shared/testing/spawn-service.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  ApiClient,
  type LiveServer,
  startLiveServer,
  TEST_SECRETS,
} from "../../testing/start-live-server.ts";

const candle = (time: number, close = 100) => ({
  ...{ time, open: 100, high: 101, low: 99, volume: 1 },
  close,
});

describe("what became of a signal", () => {
  const uri = testDatabaseUri();
  let server: LiveServer;
  let database: Database;
  let api: ApiClient;
  let ann: UserRecord;
  beforeAll(async () => {
    server = await startLiveServer({ databaseUri: uri, env: { SHARE_DELAY_MINUTES: "0" } });
    database = server.database;
    api = new ApiClient(server);
    ann = await createUser(database, { approved: true });
  });
  afterAll(async () => {
    api.close();
    await server.stop();
  });

  const madeAt = new Date(
    Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 10 * HOUR_MS + 20 * MINUTE_MS,
  );
  const since = async (id: { toString(): string }) => {
    const { body } = await api.call(`/signals/${id}/since`, { user: ann });
    return signalProgressSchema.parse(body);
  };
  const share = async (id: { toString(): string }) =>
    shareLinkSchema.parse((await api.post(ann, `/signals/${id}/share`)).body);

  describe("while it is open", () => {
    it("is the candles that the workers last read, from the one that it was made in on", async () => {
      const { _id, symbol, timeframe } = await storeTrade(database, ann, { madeAt });
      const key = marketKey({ data: "live", provider: "scripted", symbol, timeframe });
      const first = Math.floor(madeAt.getTime() / HOUR_MS) * HOUR_MS;
      const candles = Array.from({ length: 12 }, (_, hour) => candle(first + (hour - 4) * HOUR_MS));
      await database.marketCandles.create([{ _id: key, candles, updatedAt: new Date() }]);
      const answer = await since(_id);
      expect(answer).toMatchObject({ symbol, timeframe, judgement: null, shared_at: null });
      expect(answer.candles).toEqual(candles.slice(4));
    });

    it("is those of the provider that decides, from where the first one stopped", async () => {
      const { _id, analysisId, symbol, timeframe } = await storeTrade(database, ann, { madeAt });
      const first = Math.floor(madeAt.getTime() / HOUR_MS) * HOUR_MS;
      const changedAt = first + 3 * HOUR_MS;
      const store = (provider: string, price: number) => ({
        _id: marketKey({ data: "live", provider, symbol, timeframe }),
        candles: Array.from({ length: 6 }, (_, hour) => candle(first + hour * HOUR_MS, price)),
        updatedAt: new Date(),
      });
      const [old, other] = [store("scripted", 100), store("other", 101)];
      for (const record of [old, other]) {
        await database.marketCandles.replaceOne({ _id: record._id }, record, { upsert: true });
      }
      await database.marketAnalyses.updateOne(
        { _id: analysisId },
        { $set: { providerChange: { provider: "other", at: new Date(changedAt) } } },
      );
      const { candles } = await since(_id);
      expect(candles).toEqual([...old.candles.slice(0, 3), ...other.candles.slice(3)]);
    });

    it("is nothing for a WAIT or a signal that is not finished", async () => {
      const wait = tradeAnalysis(madeAt, { final_signal: "WAIT" });
      const { _id } = await storeTrade(database, ann, { madeAt, analysis: wait });
      expect((await since(_id)).candles).toEqual([]);
      const running = await storeTrade(database, ann, { madeAt, status: "running" });
      expect((await since(running._id)).candles).toEqual([]);
    });
  });

  describe("a shared signal", () => {
    it("shows no more of its owner than what the market knows", async () => {
      const warnings = [
        "Demo data: recorded.",
        "The position was cut to your amount of 7654.321 USD.",
      ];
      const { _id } = await storeTrade(database, ann, {
        madeAt,
        amount: 7654.321,
        analysis: tradeAnalysis(madeAt, { warnings, suggested_units: 12.3456789 }),
      });
      const { token } = await share(_id);
      const answer = await api.call(`/shared/${token}`);
      expect(answer.status).toBe(200);
      const shared = sharedSignalSchema.parse(answer.body);
      expect(shared.analysis).toMatchObject({ entry: 100, warnings: ["Demo data: recorded."] });
      expect(Object.keys(shared.analysis)).not.toContain("suggested_units");
      const text = JSON.stringify(answer.body);
      for (const secret of [
        ann.username,
        ann._id.toString(),
        _id.toString(),
        "7654",
        "12.3456789",
      ]) {
        expect(text).not.toContain(secret);
      }
    });

    it("keeps only a hash of its token", async () => {
      const { _id } = await storeTrade(database, ann, { madeAt });
      const { token, shared_at } = await share(_id);
      expect(token).toMatch(/^[\w-]{43}$/);
      expect(JSON.stringify(await database.signals.findById(_id).lean())).not.toContain(token);
      expect((await since(_id)).shared_at).toBe(shared_at);
    });

    it("is not found after its link is deleted, and an older link after a newer one is made", async () => {
      const { _id } = await storeTrade(database, ann, { madeAt });
      const older = await share(_id);
      const newer = await share(_id);
      expect((await api.call(`/shared/${older.token}`)).status).toBe(404);
      expect((await api.call(`/shared/${newer.token}`)).status).toBe(200);
      await api.call(`/signals/${_id}/share`, { user: ann, method: "DELETE" });
      expect(await api.call(`/shared/${newer.token}`)).toMatchObject({
        status: 404,
        body: { detail: "This link does not work any more." },
      });
      expect((await since(_id)).shared_at).toBeNull();
      const log = await database.securityLog.find({ "details.signal": _id.toString() }).lean();
      const created = "share-link:created";
      expect(log.map(({ type }) => type)).toEqual([created, created, "share-link:ended"]);
      expect(JSON.stringify(log)).not.toContain(newer.token);
    });

    it("is not found 90 days after it was shared", async () => {
      const { _id } = await storeTrade(database, ann, { madeAt });
      const { token } = await share(_id);
      const sharedDaysAgo = (days: number) =>
        database.signals.updateOne({ _id }, { sharedAt: new Date(Date.now() - days * 86_400_000) });
      await sharedDaysAgo(89);
      expect((await api.call(`/shared/${token}`)).status).toBe(200);
      await sharedDaysAgo(91);
      expect((await api.call(`/shared/${token}`)).status).toBe(404);
    });

    it("has a preview image for as long as its link works", async () => {
      const { _id } = await storeTrade(database, ann, { madeAt });
      const { token } = await share(_id);
      const read = () => fetch(`${server.url}/shared/${token}/image.png`);
      const answer = await read();
      expect(answer.headers.get("content-type")).toBe("image/png");
      const image = await sharp(Buffer.from(await answer.arrayBuffer())).metadata();
      expect(image).toMatchObject({ format: "png", width: 1_200, height: 630 });
      await database.signals.updateOne({ _id }, { sharedAt: new Date(0) });
      expect((await read()).status).toBe(404);
    });

    it("is not to be found by search engines", async () => {
      const { _id } = await storeTrade(database, ann, { madeAt });
      const { token } = await share(_id);
      const { headers } = await fetch(`${server.url}/shared/${token}`);
      expect(headers.get("x-robots-tag")).toBe("noindex");
    });

    it.each(["queued", "running", "failed"] as const)(
      "cannot be one that is %s",
      async (status) => {
        const { _id } = await storeTrade(database, ann, { madeAt, status });
        expect(await api.post(ann, `/signals/${_id}/share`)).toMatchObject({
          status: 422,
          body: { code: "invalid-input", detail: "Only completed signals can be shared." },
        });
      },
    );
  });

  describe("once a worker has resolved it", () => {
    let worker: SpawnedService;
    beforeAll(async () => {
      worker = await spawnService("worker", {
        ...TEST_SECRETS,
        MONGODB_URI: uri,
        MARKET_DATA: "replay",
      });
    });
    afterAll(() => worker.stop());

    it("is pushed to its owner, and agrees with what is read", async () => {
      const bob = await createUser(database, { approved: true });
      const tab = await api.connect(ann);
      const other = await api.connect(bob);
      const at = new Date(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 90 * MINUTE_MS);
      const source = { ...tradeAnalysis(at).source, provider: "replay", data: "replay" } as const;
      const analysis = tradeAnalysis(at, {
        entry: 1.001e5,
        stop_loss: 1e5,
        take_profit: 1.002e5,
        suggested_hold: "30 candles",
        source: { ...source, price: 1.001e5 },
      });
      const trade = { madeAt: at, symbol: "BTC/USDT", timeframe: "1m", analysis } as const;
      const { _id } = await storeTrade(database, ann, trade);
      await vi.waitFor(() => expect(tab.named("signal:outcome")).toHaveLength(1), {
        ...PUSH_WAIT,
        timeout: 40_000,
      });
      const { judgement, candles } = await since(_id);
      expect(tab.named("signal:outcome")[0]?.data).toEqual({
        signal_id: _id.toString(),
        outcome: judgement?.outcome,
        resolved_at: judgement?.resolved_at,
      });
      expect((candles.at(-1)?.time ?? 0) + MINUTE_MS).toBe(
        Date.parse(judgement?.resolved_at ?? ""),
      );
      expect(other.received).toEqual([]);
    }, 60_000);
  });
});
