import { on } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "@shared/database/database.ts";
import { type FakeExchange, startFakeExchange } from "@shared/testing/fakes/fake-exchange.ts";
import type { WebSocket } from "ws";
import { until } from "../faults/harness/until.ts";
import { openSocket } from "./raw-socket.ts";
import {
  type BenchOptions,
  cpuMs,
  percentile,
  printTable,
  residentBytes,
  startProduct,
} from "./start-product.ts";

const MARKETS = 19;
const SOCKETS = 1_000;
const USERS = 200;
const WARM_UP_MS = 5_000;
const MEASURE_MS = 30_000;
const EXCHANGE_INTERVALS_MS = [1_000, 300];

/** Measures live prices from the message of the exchange to the sockets, and the server's share of a core. */
export async function benchPrices({ database, uri }: BenchOptions): Promise<void> {
  const exchange = await startFakeExchange();
  const addresses = { EXCHANGE_URL: exchange.url, EXCHANGE_WS_URL: exchange.wsUrl };
  const env = { MARKET_DATA: "live", EXCHANGES: "binance", ...addresses };
  const product = await startProduct({ database, uri, env, workerEntry: "worker/src/main.ts" });
  const received = new ReceivedPrices();
  const sockets: WebSocket[] = [];
  try {
    const symbols = await listedSymbols(database);
    const tokens = await product.createTokens(USERS);
    // A silent exchange would count as lost.
    const [first = 0] = EXCHANGE_INTERVALS_MS;
    const stopFirst = sendPrices(exchange, { symbols, intervalMs: first, received });
    for (let index = 0; index < SOCKETS; index += 1) {
      const token = tokens[index % USERS] ?? "";
      sockets.push(await watchPrices(product.apiUrl, { token, symbols, received }));
    }
    await until(async () => exchange.stream.subscribed.length === MARKETS, { what: "the feeds" });
    stopFirst();
    const rows = [];
    for (const intervalMs of EXCHANGE_INTERVALS_MS) {
      const stop = sendPrices(exchange, { symbols, intervalMs, received });
      await delay(WARM_UP_MS);
      rows.push({
        "exchange message every, ms": intervalMs,
        ...(await measure(product, received)),
      });
      stop();
    }
    printTable(`${SOCKETS} sockets with live prices of ${MARKETS} markets`, rows);
  } finally {
    for (const socket of sockets) socket.terminate();
    await product.stop();
    await exchange.close();
  }
}

/** Prices are consecutive numbers, so that each shows when it was sent. */
class ReceivedPrices {
  readonly #sentAt: number[] = [];
  latenciesMs: number[] = [];

  next(): number {
    return this.#sentAt.push(performance.now());
  }

  receive(price: number): void {
    this.latenciesMs.push(performance.now() - (this.#sentAt[price - 1] ?? Number.NaN));
  }
}

async function listedSymbols(database: Database): Promise<string[]> {
  const read = async () => {
    const listing = await database.marketListings.findById("symbols").lean();
    return (listing?.symbols ?? []).filter((symbol) => symbol.endsWith("/USDT"));
  };
  await until(async () => (await read()).length >= MARKETS, { what: "the listed symbols" });
  return (await read()).slice(0, MARKETS);
}

/** Each market at another time of the interval. */
function sendPrices(
  exchange: FakeExchange,
  options: { symbols: readonly string[]; intervalMs: number; received: ReceivedPrices },
): () => void {
  const { symbols, intervalMs, received } = options;
  let turn = 0;
  const startedAt = performance.now();
  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) / intervalMs) * symbols.length;
    for (; turn < due; turn += 1) {
      exchange.stream.send(symbols[turn % symbols.length] ?? "", received.next());
    }
  }, 5);
  return () => clearInterval(timer);
}

const PRICE = /"price":(\d+)/;

/** Resolves once the symbols are watched. */
async function watchPrices(
  apiUrl: string,
  options: { token: string; symbols: readonly string[]; received: ReceivedPrices },
): Promise<WebSocket> {
  const { token, symbols, received } = options;
  const onPacket = (packet: string) => {
    if (packet.startsWith('42["price"')) received.receive(Number(PRICE.exec(packet)?.[1]));
  };
  const socket = await openSocket(apiUrl, { auth: { token }, onPacket });
  socket.send(`420${JSON.stringify(["prices:watch", { symbols }])}`);
  for await (const [data] of on(socket, "message")) {
    const packet = String(data);
    if (packet.startsWith('430[{"symbols"')) return socket;
    if (packet.startsWith("43")) throw new Error(packet);
  }
  throw new Error("The socket sends nothing more.");
}

async function measure(
  { server, workers }: Awaited<ReturnType<typeof startProduct>>,
  received: ReceivedPrices,
) {
  received.latenciesMs = [];
  const pids = { server: server.pid, worker: workers[0]?.pid ?? -1 };
  const before = { server: await cpuMs(pids.server), worker: await cpuMs(pids.worker) };
  const startedAt = performance.now();
  await delay(MEASURE_MS);
  const ms = performance.now() - startedAt;
  const percentOf = async (name: keyof typeof pids) =>
    (((await cpuMs(pids[name])) - before[name]) / ms) * 100;
  const { latenciesMs } = received;
  return {
    "prices/s": latenciesMs.length / (ms / 1_000),
    "server, % of a core": await percentOf("server"),
    "worker, % of a core": await percentOf("worker"),
    "p50, ms": percentile(latenciesMs, 0.5),
    "p99, ms": percentile(latenciesMs, 0.99),
    "server memory, MB": (await residentBytes(pids.server)) / 2 ** 20,
  };
}
