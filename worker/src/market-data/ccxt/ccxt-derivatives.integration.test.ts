import { HOUR_MS } from "@shared/contract/constants.ts";
import { type HttpFake, sendJson, startHttpFake } from "@shared/testing/fakes/fake-http.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ProviderPauses } from "../provider-pauses.ts";
import { createDerivatives } from "./ccxt-derivatives.ts";

const until = Date.UTC(2026, 10, 27, 12);
const abort = new AbortController().signal;
const request = { symbol: "BTC/USDT", until, abort };

let exchange: HttpFake;
let paths: string[] = [];
let answers: Record<string, unknown>;

/** The public part of Binance's USDⓈ-M futures. */
beforeEach(async () => {
  paths = [];
  answers = {
    "/fapi/v1/exchangeInfo": {
      symbols: [
        {
          symbol: "BTCUSDT",
          pair: "BTCUSDT",
          contractType: "PERPETUAL",
          status: "TRADING",
          baseAsset: "BTC",
          quoteAsset: "USDT",
          marginAsset: "USDT",
          filters: [],
        },
      ],
    },
    "/fapi/v1/fundingRate": [
      { symbol: "BTCUSDT", fundingRate: "0.00010000", fundingTime: until - 8 * HOUR_MS },
      { symbol: "BTCUSDT", fundingRate: "-0.00025000", fundingTime: until },
      { symbol: "BTCUSDT", fundingRate: "0.00900000", fundingTime: until + 1 },
    ],
    "/futures/data/openInterestHist": [
      { symbol: "BTCUSDT", sumOpenInterest: "80000.5", timestamp: until - 600_000 },
      { symbol: "BTCUSDT", sumOpenInterest: "81234.5", timestamp: until - 300_000 },
      { symbol: "BTCUSDT", sumOpenInterest: "99999.5", timestamp: until + 300_000 },
    ],
  };
  exchange = await startHttpFake(async (incoming, response) => {
    const { pathname } = new URL(incoming.url ?? "/", "http://localhost");
    paths.push(pathname);
    const body = answers[pathname];
    sendJson(response, body ?? { code: -1, msg: "Not found" }, body === undefined ? 404 : 200);
  });
});
afterEach(() => exchange.close());

const derivatives = (...exchangeIds: string[]) =>
  createDerivatives({
    exchangeIds,
    baseUrl: exchange.url,
    now: () => until,
    pauses: new ProviderPauses(),
    pace: false,
  });

it("the funding rate is the last that was known then, in percent", async () => {
  expect(await derivatives("binance").fundingRate(request)).toEqual({
    value: -0.025,
    hours: 8,
    knownAt: until,
    exchange: "binance",
  });
});

it.each([
  ["as the last two were apart", [-16, -8, -4, 0], 4],
  ["also if the exchange writes them some seconds late", [-2, -1 + 0.004, 0], 1],
  ["8 where one is missing", [-16, 0], 8],
  ["8 where there was only one", [0], 8],
])("the hours between two fundings are known: %s", async (_, times, hours) => {
  answers["/fapi/v1/fundingRate"] = times.map((hour) => ({
    ...{ symbol: "BTCUSDT", fundingRate: "0.0001", fundingTime: until + hour * HOUR_MS },
  }));
  expect(await derivatives("binance").fundingRate(request)).toMatchObject({ hours });
});

it("the open interest is the last that was known then, in coins", async () => {
  expect(await derivatives("binance").openInterest(request)).toEqual({
    value: 81_234.5,
    knownAt: until - 300_000,
    exchange: "binance",
  });
});

it("an exchange without perpetual futures is passed over", async () => {
  expect(await derivatives("kraken", "binance").fundingRate(request)).toMatchObject({
    exchange: "binance",
  });
});

it("a coin without a perpetual future has neither", async () => {
  const other = { ...request, symbol: "FOO/USDT" };
  const source = derivatives("binance");
  expect(await source.fundingRate(other)).toBeNull();
  expect(await source.openInterest(other)).toBeNull();
  expect(paths).toEqual(["/fapi/v1/exchangeInfo"]);
});

it.each([
  ["no rows", []],
  ["rows of the future only", [{ symbol: "BTCUSDT", fundingRate: "0.1", fundingTime: until + 1 }]],
  ["rows without a rate", [{ symbol: "BTCUSDT", fundingTime: until }]],
])("with %s, the funding rate is not known", async (_, rows) => {
  answers["/fapi/v1/fundingRate"] = rows;
  expect(await derivatives("binance").fundingRate(request)).toBeNull();
});

it("an exchange that does not answer is not asked again for every candle", async () => {
  delete answers["/fapi/v1/exchangeInfo"];
  const source = derivatives("binance");
  for (let asked = 0; asked < 3; asked += 1) expect(await source.fundingRate(request)).toBeNull();
  expect(paths).toHaveLength(1);
});
