import { listSymbols } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";
import { assertKnownSymbol } from "./known-symbols.ts";

describe("a symbol that is no suggestion", () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer({ databaseUri: testDatabaseUri() });
  });
  beforeEach(() => server.database.marketListings.deleteMany());
  afterAll(() => server.stop());

  const check = (symbol: string) => assertKnownSymbol(server.deps, symbol);

  it("is accepted once the workers have listed it, by a request that came before", async () => {
    const waiting = check("PEPE/USDT");
    await listSymbols(server.database, { symbols: ["PEPE/USDT"] });
    await expect(waiting).resolves.toBeUndefined();
    await expect(check("PEPE/USDT")).resolves.toBeUndefined();
  });

  it("is answered 503 with a time while there is no list, not 422", async () => {
    const answer = await server.call("/candles?symbol=PEPE/USDT&timeframe=1h");
    expect(answer.status).toBe(503);
    expect(answer.headers.get("Retry-After")).toBe("5");
    expect(await answer.json()).toMatchObject({
      code: "unavailable",
      detail: "The list of markets is not complete yet. Please try again in a few seconds.",
    });
  });

  it("is unknown only when no provider is missing in the list", async () => {
    await listSymbols(server.database, { symbols: ["DOGE/USDT"], missing: ["kraken"] });
    await expect(check("DOGE/USDT")).resolves.toBeUndefined();
    await expect(check("PEPE/USDT")).rejects.toMatchObject({ code: "unavailable" });
    const waiting = check("PEPE/USDT");
    await listSymbols(server.database);
    await expect(waiting).rejects.toMatchObject({ code: "invalid-input" });
  });

  it("is unknown at once if no provider can have it", async () => {
    await expect(check("NOPE")).rejects.toMatchObject({ code: "invalid-input" });
    await expect(check("BTC/USDT")).resolves.toBeUndefined();
  });

  it("is accepted without a list if it is one of the product's own, such as a stock", async () => {
    await expect(check("AAPL")).resolves.toBeUndefined();
    await expect(check("MSFT")).resolves.toBeUndefined();
  });
});
