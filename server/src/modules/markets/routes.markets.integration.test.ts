import { marketsSchema } from "@shared/contract/markets.ts";
import { MARKET_SNAPSHOT_ID } from "@shared/database/models/worker-reports.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

describe("GET /markets", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ databaseUri: testDatabaseUri() });
  });
  afterAll(() => server.stop());

  const markets = async () => {
    const answer = await server.call("/markets");
    return { answer, body: z.strictObject(marketsSchema.shape).parse(await answer.json()) };
  };

  it("is an empty list until a worker has read the first prices", async () => {
    const { answer, body } = await markets();
    expect(answer.status).toBe(200);
    expect(body).toEqual({ markets: [], updated_at: null });
  });

  it("gives anybody the prices last read, and lets them be cached for half a minute", async () => {
    const quote = { symbol: "BTC/USDT", price: 64_000, high: 65_000, low: 62_500 };
    await server.database.marketSnapshots.insertOne({
      _id: MARKET_SNAPSHOT_ID,
      quotes: [
        {
          ...quote,
          changePercent: -1.25,
          closes: [64_810, 64_000],
          data: "replay",
          asOf: new Date("2026-11-20T13:00:00Z"),
        },
      ],
      updatedAt: new Date("2026-11-20T13:37:12Z"),
    });
    const { answer, body } = await markets();
    expect(answer.headers.get("Cache-Control")).toBe("public, max-age=30");
    expect(body).toEqual({
      markets: [
        {
          ...quote,
          change_percent: -1.25,
          closes: [64_810, 64_000],
          data: "replay",
          as_of: "2026-11-20T13:00:00.000Z",
        },
      ],
      updated_at: "2026-11-20T13:37:12.000Z",
    });
  });
});
