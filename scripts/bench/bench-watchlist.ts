import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { PRODUCT_SYMBOLS } from "@shared/contract/instruments.ts";
import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { type Database, nativeDb } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { lastCandleClose } from "@shared/domain/queue-analysis.ts";
import { callApi } from "@shared/testing/call-api.ts";
import { createUser, newWatchlistItem, signTokenFor } from "@shared/testing/factories.ts";
import { z } from "zod";
import { until } from "../faults/harness/until.ts";
import {
  type BenchOptions,
  copyUsers,
  cpuMs,
  nextMarket,
  percentile,
  printTable,
  type StartedProduct,
  startProduct,
} from "./start-product.ts";

/** Before the close that is measured. */
const SETUP_MS = 10_000;
const WAIT = { withinMs: 180_000 };

export async function benchWatchlist(options: BenchOptions): Promise<void> {
  await benchFanOut(options);
  await options.database.watchlistItems.deleteMany();
  await benchManyMarkets(options);
}

/** The shortest, so that a close is never far. */
const SHORT = "1m";
const WATCHERS = 5_000;
const SOCKETS = 1_000;
/** Their analyses are spread over half a minute. */
const MARKETS = PRODUCT_SYMBOLS.slice(0, 3);
const OTHER_USERS = 20;
const REQUEST_INTERVAL_MS = 25;
const QUIET_MS = 20_000;
/** A single one has too few requests for a 95th percentile. */
const CLOSES = 4;

/** Measures how long it takes until all watchers have their signals, and what other users' requests take meanwhile. */
async function benchFanOut({ database, uri }: BenchOptions): Promise<void> {
  const product = await startProduct({ database, uri, env: { WATCH_MIN_TIMEFRAME: SHORT } });
  const { apiUrl, settings } = product;
  const users = copyUsers(await createUser(database, { approved: true }), WATCHERS);
  await database.users.collection.insertMany(users);
  const online = users.filter((_, index) => index % (WATCHERS / SOCKETS) === 0);
  const sockets = openWatcherSockets({
    apiUrl,
    tokens: online.map((user) => signTokenFor(user, settings)),
  });
  const load = startLoad(apiUrl, await product.createTokens(OTHER_USERS));
  try {
    await sockets.connected;
    const pids = await processesOf(database, product);
    const fanOutNextClose = async () => {
      await database.watchlistItems.deleteMany();
      const closed = await watchNextClose(database, { users, symbols: MARKETS, timeframe: SHORT });
      return withCpuTimes(pids, () => timeFanOuts(database, { closed, sockets }));
    };
    // The first one also compiles the code of the services, which only happens after a start.
    await fanOutNextClose();
    const [quiet, quietCpu] = await withCpuTimes(pids, quietTime);
    const closes: Awaited<ReturnType<typeof fanOutNextClose>>[] = [];
    while (closes.length < CLOSES) closes.push(await fanOutNextClose());
    const fanOuts = closes.flatMap(([measured]) => measured.fanOuts);
    const pushes = closes.flatMap(([measured]) => measured.pushes);
    printFanOuts(fanOuts, pushes);
    printTable("Requests of other users, milliseconds", [
      { meanwhile: "nothing", ...requestColumns(load.requests, [quiet]) },
      { meanwhile: "signals for watchers", ...requestColumns(load.requests, fanOuts) },
    ]);
    const cpuRows = closes.map(([, cpu]) => cpuColumns(cpu, quietCpu));
    printTable("Processor time for a signal of a watcher, milliseconds", cpuRows);
  } finally {
    await load.stop();
    sockets.close();
    await product.stop();
  }
}

type WatcherSockets = ReturnType<typeof openWatcherSockets>;

/** The signals of all markets that have closed, and when they were pushed. */
async function timeFanOuts(
  database: Database,
  { closed, sockets }: { closed: Close; sockets: WatcherSockets },
): Promise<{ fanOuts: FanOut[]; pushes: Arrivals }> {
  const fanOuts = await Promise.all(
    MARKETS.map((symbol) => timeFanOut(database, { ...closed, symbol })),
  );
  const pushes: Arrivals = [];
  const readAll = async () => {
    pushes.push(...(await sockets.takePushes()));
    return pushes.length >= MARKETS.length * SOCKETS;
  };
  await until(readAll, { what: "all pushes", ...WAIT });
  return { fanOuts, pushes };
}

const arrivalsSchema = z.array(z.object({ analysisId: z.string(), atMs: z.number() }));
type Arrivals = z.infer<typeof arrivalsSchema>;

/** A socket for each token, in a process of its own: what they receive must not delay the requests that are timed. */
function openWatcherSockets(options: { apiUrl: string; tokens: readonly string[] }) {
  const entry = new URL("watcher-sockets.ts", import.meta.url);
  const child = fork(entry, { execArgv: ["--import", "tsx"] });
  const ended = once(child, "exit").then((): never => {
    throw new Error("The process with the sockets has ended.");
  });
  ended.catch(() => undefined);
  const ask = async (question: object): Promise<unknown> => {
    const answered = once(child, "message");
    child.send(question);
    const [answer] = await Promise.race([answered, ended]);
    return answer;
  };
  return {
    connected: ask(options),
    /** Those since the last time. */
    takePushes: async (): Promise<Arrivals> => arrivalsSchema.parse(await ask({})),
    close: () => child.kill(),
  };
}

async function processesOf({ connection }: Database, { server, workers }: StartedProduct) {
  const mongod = await nativeDb(connection).command({ serverStatus: 1 });
  return { database: Number(mongod.pid), worker: workers[0]?.pid ?? -1, server: server.pid };
}

type Pids = Awaited<ReturnType<typeof processesOf>>;
type CpuTimes = Pids & { wallMs: number };

async function cpuTimesOf({ database, worker, server }: Pids): Promise<CpuTimes> {
  const [ofDatabase, ofWorker, ofServer] = await Promise.all([database, worker, server].map(cpuMs));
  const wallMs = performance.now();
  return { database: ofDatabase ?? 0, worker: ofWorker ?? 0, server: ofServer ?? 0, wallMs };
}

async function withCpuTimes<Result>(
  pids: Pids,
  work: () => Promise<Result>,
): Promise<[Result, CpuTimes]> {
  const before = await cpuTimesOf(pids);
  const result = await work();
  const after = await cpuTimesOf(pids);
  return [
    result,
    {
      database: after.database - before.database,
      worker: after.worker - before.worker,
      server: after.server - before.server,
      wallMs: after.wallMs - before.wallMs,
    },
  ];
}

/** Without the processor time that the requests of other users take anyway. */
function cpuColumns(busy: CpuTimes, quiet: CpuTimes) {
  const signals = MARKETS.length * WATCHERS;
  const costOf = (name: keyof Pids) =>
    (busy[name] - (quiet[name] * busy.wallMs) / quiet.wallMs) / signals;
  return { database: costOf("database"), worker: costOf("worker"), server: costOf("server") };
}

interface Close {
  candleClosedAt: Date;
  timeframe: Timeframe;
}

type FanOut = Awaited<ReturnType<typeof timeFanOut>>;

/** Waits for the analysis of a market, and until all watchers have their signals. Looks seldom, which costs time as well. */
async function timeFanOut(
  { marketAnalyses, signals }: Database,
  market: Close & { symbol: string },
) {
  const find = (state: object) =>
    marketAnalyses.findOne({ ...market, ...state }, { revision: 1, finishedAt: 1 }).lean();
  const wait = { what: market.symbol, ...WAIT };
  const { _id, revision, finishedAt } = await until(() => find({ status: "completed" }), wait);
  await until(() => find({ _id, fanOut: { $exists: false } }), wait);
  const toMs = Date.now();
  return {
    analysisId: String(_id),
    revision,
    fromMs: Number(finishedAt),
    toMs,
    signals: await signals.countDocuments({ analysisId: _id }),
  };
}

interface Span {
  fromMs: number;
  toMs: number;
}

async function quietTime(): Promise<Span> {
  const fromMs = Date.now();
  await delay(QUIET_MS);
  return { fromMs, toMs: Date.now() };
}

/** Each user watches each market from the next close on, which has come when this resolves. */
async function watchNextClose(
  { watchlistItems }: Database,
  watched: {
    users: readonly Pick<UserRecord, "_id">[];
    symbols: readonly string[];
    timeframe: Timeframe;
  },
): Promise<Close> {
  const { users, symbols, timeframe } = watched;
  const lengthMs = TIMEFRAME_MS[timeframe];
  const isInTime = () => Date.now() % lengthMs < lengthMs - SETUP_MS;
  await until(isInTime, { what: "the close", ...WAIT });
  const items = symbols.flatMap((symbol) =>
    users.map((user) => newWatchlistItem(user, { symbol, timeframe })),
  );
  const candleClosedAt = new Date(lastCandleClose(timeframe, new Date()).getTime() + lengthMs);
  await watchlistItems.collection.insertMany(items, { ordered: false });
  const isClosed = () => Date.now() >= candleClosedAt.getTime();
  await until(isClosed, { what: "the close", withinMs: 400_000 });
  return { candleClosedAt, timeframe };
}

function printFanOuts(fanOuts: readonly FanOut[], arrivals: Arrivals): void {
  const pushesOf = ({ analysisId, fromMs }: FanOut) =>
    arrivals.flatMap((one) => (one.analysisId === analysisId ? one.atMs - fromMs : []));
  printTable(
    `${WATCHERS} users watch a market, ${SOCKETS} with a socket: milliseconds after its analysis`,
    fanOuts.map((one) => ({
      "AI calls": one.revision,
      signals: one.signals,
      "all stored": one.toMs - one.fromMs,
      pushes: pushesOf(one).length,
      "push p50": percentile(pushesOf(one), 0.5),
      "push p99": percentile(pushesOf(one), 0.99),
    })),
  );
}

type Kind = "signal" | "history";

interface Sent {
  kind: Kind;
  atMs: number;
  tookMs: number;
  status: number;
}

const SHARED_MARKET = { symbol: "BTC/USDT", timeframe: "1d", limit: 50 };

/** Signals of an analysis that exists, and pages of a history. */
const startLoad = (apiUrl: string, tokens: readonly string[]) =>
  startRequests(tokens, REQUEST_INTERVAL_MS, (token, count) =>
    count % 2
      ? ["signal", callApi(`${apiUrl}/get-signal`, { token, body: SHARED_MARKET })]
      : ["history", callApi(`${apiUrl}/signal-history?limit=20`, { token })],
  );

/** Sends requests of users in turn, at a constant rate. */
function startRequests(
  tokens: readonly string[],
  everyMs: number,
  send: (token: string, count: number) => [Kind, answer: Promise<{ status: number }>],
) {
  const pending: Promise<void>[] = [];
  const requests: Sent[] = [];
  const request = async () => {
    const atMs = Date.now();
    const startedAt = performance.now();
    const count = pending.length;
    const [kind, answer] = send(tokens[count % tokens.length] ?? "", count);
    const { status } = await answer;
    requests.push({ kind, atMs, tookMs: performance.now() - startedAt, status });
  };
  const sending = setInterval(() => pending.push(request()), everyMs);
  return {
    requests,
    async stop() {
      clearInterval(sending);
      await Promise.all(pending);
    },
  };
}

function requestColumns(requests: readonly Sent[], spans: readonly Span[]) {
  const sent = requests.filter(({ atMs }) =>
    spans.some(({ fromMs, toMs }) => fromMs <= atMs && atMs <= toMs),
  );
  const timesOf = (kind: Kind) => sent.flatMap((one) => (one.kind === kind ? one.tookMs : []));
  return {
    requests: sent.length,
    failed: sent.filter(({ status }) => status >= 400).length,
    "signal p50": percentile(timesOf("signal"), 0.5),
    "signal p95": percentile(timesOf("signal"), 0.95),
    "history p50": percentile(timesOf("history"), 0.5),
    "history p95": percentile(timesOf("history"), 0.95),
  };
}

/** Analyses of shorter ones would be given up after half a minute. */
const LONGER = "5m";
const MANY_MARKETS = 400;
const WATCHERS_EACH = 10;
const AI_TIME_MS = 5_000;
const CONCURRENCY = 50;
const OWN_REQUEST_INTERVAL_MS = 1_000;

/** Measures how long it takes to analyse many markets whose candles close at the same time. */
async function benchManyMarkets({ database, uri }: BenchOptions): Promise<void> {
  const env = {
    WATCH_MIN_TIMEFRAME: LONGER,
    WORKER_CONCURRENCY: String(CONCURRENCY),
    BENCH_ANALYSIS_MS: String(AI_TIME_MS),
  };
  const { apiUrl, createTokens, stop } = await startProduct({ database, uri, env });
  const users = copyUsers(await createUser(database, { approved: true }), WATCHERS_EACH);
  await database.users.collection.insertMany(users);
  const tokens = await createTokens(OTHER_USERS);
  const symbols = Array.from({ length: MANY_MARKETS }, (_, index) => `COIN${index}/USDT`);
  try {
    const close = await watchNextClose(database, { users, symbols, timeframe: LONGER });
    const load = startRequests(tokens, OWN_REQUEST_INTERVAL_MS, (token) => [
      "signal",
      callApi(`${apiUrl}/get-signal`, { token, body: nextMarket() }),
    ]);
    const completed = { ...close, status: "completed" } as const;
    const count = () => database.marketAnalyses.countDocuments(completed);
    await until(async () => (await count()) >= MANY_MARKETS, { what: "all analyses", ...WAIT });
    await load.stop();
    const analyses = await database.marketAnalyses.find(completed).select({ finishedAt: 1 }).lean();
    const times = analyses.map(
      ({ finishedAt }) => (Number(finishedAt) - Number(close.candleClosedAt)) / 1_000,
    );
    const title = `${MANY_MARKETS} watched markets close at once, AI calls of ${AI_TIME_MS} ms, ${CONCURRENCY} slots`;
    const durationsMs = load.requests.flatMap((one) => (one.status === 200 ? one.tookMs : []));
    printTable(title, [
      {
        "p50, s": percentile(times, 0.5),
        "last, s": Math.max(...times),
        requests: load.requests.length,
        refused: load.requests.length - durationsMs.length,
        "request p50, ms": percentile(durationsMs, 0.5),
        "request p99, ms": percentile(durationsMs, 0.99),
      },
    ]);
  } finally {
    await stop();
  }
}
