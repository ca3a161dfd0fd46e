import { randomUUID } from "node:crypto";
import { type Status, statusSchema } from "@shared/contract/market-data.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import { PushClient } from "@shared/testing/api-client.ts";
import { expectAnswer } from "@shared/testing/call-api.ts";
import { createUser, signTokenFor, TEST_PASSWORD } from "@shared/testing/factories.ts";
import { startFakeExchange } from "@shared/testing/fakes/fake-exchange.ts";
import { freePort, type SpawnedService, spawnService } from "@shared/testing/spawn-service.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { ReplicaSet } from "./harness/processes.ts";
import { until } from "./harness/until.ts";

const SYMBOL = "BTC/USDT";
const SEND_INTERVAL_MS = 500;
/** Recorded candles, which polled prices are of, are above it. */
const STREAMED_BELOW = 60_000;
const priceSchema = z.object({ price: z.number() });
/** Users see it within 30 s: pages read the status every 10 s. */
const REPORTED_WITHIN_MS = 20_000;

const services: SpawnedService[] = [];
let exchange: Awaited<ReturnType<typeof startFakeExchange>>;
let mongo: ReplicaSet;
let database: Database;
let client: PushClient;
let sending: NodeJS.Timeout;
let apiUrl = "";

beforeAll(async () => {
  exchange = await startFakeExchange();
  mongo = await ReplicaSet.launch(1);
  const uri = mongo.uri("price-feed");
  database = await openDatabase({ uri });
  apiUrl = `http://localhost:${await freePort()}`;
  const env = {
    MONGODB_URI: uri,
    API_PORT: new URL(apiUrl).port,
    RATE_LIMIT: "off",
    JWT_SECRET: randomUUID().repeat(2),
    ADMIN_PASSWORD: TEST_PASSWORD,
    MARKET_DATA: "live",
    EXCHANGES: "binance",
    EXCHANGE_URL: exchange.url,
    EXCHANGE_WS_URL: exchange.wsUrl,
  };
  services.push(await spawnService("server", env), await spawnService("worker", env));
  const user = await createUser(database, { approved: true });
  client = new PushClient({ url: apiUrl, token: signTokenFor(user, env) });
  let price = 50_000;
  sending = setInterval(() => {
    price += 1;
    exchange.stream.send(SYMBOL, price);
  }, SEND_INTERVAL_MS);
});
afterAll(async () => {
  clearInterval(sending);
  client.close();
  await Promise.all(services.map((service) => service.stop()));
  await database.close();
  await exchange.close();
  await mongo.remove();
});

const readStatus = (): Promise<Status> => expectAnswer(statusSchema, `${apiUrl}/status`);
const pricesReceived = () => client.other.filter(({ name }) => name === "price").length;
const lastPrice = () =>
  priceSchema.parse(client.other.findLast(({ name }) => name === "price")?.payload);
const untilMorePrices = async (what: string) => {
  const before = pricesReceived();
  await until(() => pricesReceived() > before + 2, { what });
};

it("a price feed that falls silent is reported in time, and its prices still arrive", async () => {
  await until(() => client.socket.connected, { what: "the connection" });
  await client.socket.emitWithAck("prices:watch", { symbols: [SYMBOL] });
  await untilMorePrices("live prices");
  expect(await readStatus()).not.toHaveProperty("lost_price_feeds");
  exchange.stream.behave("silent");
  await until(async () => (await readStatus()).lost_price_feeds === 1, {
    what: "the report of the lost feed",
    withinMs: REPORTED_WITHIN_MS,
  });
  // The candles of the fake exchange do not move, so their price is pushed once.
  await until(() => lastPrice().price > STREAMED_BELOW, { what: "a polled price" });
  exchange.stream.behave("ok");
  await until(async () => (await readStatus()).lost_price_feeds === undefined, {
    what: "the end of the report",
  });
  await untilMorePrices("live prices again");
});
