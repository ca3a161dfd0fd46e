import { SYMBOL_SUGGESTIONS } from "@shared/contract/constants.ts";
import { envelopeSchema, eventSchemas } from "@shared/contract/events.ts";
import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import type { Database } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import type { WatchlistItemRecord } from "@shared/database/models/watchlist.ts";
import { lastCandleClose } from "@shared/domain/queue-analysis.ts";
import { callApi } from "@shared/testing/call-api.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { Types } from "mongoose";
import { until } from "../faults/harness/until.ts";
import { type BenchTrader, connectTraders } from "./bench-pipeline.ts";
import {
  type BenchOptions,
  copyUsers,
  createTokens,
  nextMarket,
  percentile,
  printTable,
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
const MARKETS = SYMBOL_SUGGESTIONS.slice(0, 3);
const OTHER_USERS = 20;
const REQUEST_INTERVAL_MS = 25;
const QUIET_MS = 20_000;

/** Measures how long it takes until all watchers have their signals, and what other users' requests take meanwhile. */
async function benchFanOut({ database, uri }: BenchOptions): Promise<void> {
  const product = await startProduct({ uri, env: { WATCH_MIN_TIMEFRAME: SHORT } });
  const { apiUrl, settings } = product;
  const users = copyUsers(await createUser(database, { approved: true }), WATCHERS);
  await database.users.collection.insertMany(users);
  const online = users.filter((_, index) => index % (WATCHERS / SOCKETS) === 0);
  const tokens = online.map((user) => signTokenFor(user, settings));
  const watchers = await connectTraders(apiUrl, tokens);
  const pushed = recordPushes(watchers);
  const load = startLoad(apiUrl, await createTokens(database, settings, OTHER_USERS));
  const fanOutNextClose = async () => {
    const closed = await watchNextClose(database, { users, symbols: MARKETS, timeframe: SHORT });
    const fanOuts = await Promise.all(
      MARKETS.map((symbol) => timeFanOut(database, { ...closed, symbol })),
    );
    const pushes = MARKETS.length * SOCKETS;
    await until(() => pushed.length >= pushes, { what: "all pushes", ...WAIT });
    return fanOuts;
  };
  try {
    // The first one also compiles the code of the services, which only happens after a start.
    await fanOutNextClose();
    await database.watchlistItems.deleteMany();
    pushed.length = 0;
    const quiet = await quietTime();
    const fanOuts = await fanOutNextClose();
    printFanOuts(fanOuts, pushed);
    printTable("Requests of other users, milliseconds", [
      { meanwhile: "nothing", ...requestColumns(load.requests, [quiet]) },
      { meanwhile: "signals for watchers", ...requestColumns(load.requests, fanOuts) },
    ]);
  } finally {
    load.stop();
    for (const { push } of watchers) push.close();
    await product.stop();
  }
}

interface Close {
  candleClosedAt: Date;
  timeframe: Timeframe;
}

type FanOut = Awaited<ReturnType<typeof timeFanOut>>;

/** Waits for the analysis of a market, and until all its signals can be read. */
async function timeFanOut(
  { marketAnalyses, signals }: Database,
  market: Close & { symbol: string },
) {
  const find = () => marketAnalyses.findOne({ ...market, status: "completed" }).lean();
  const { _id, revision, finishedAt } = await until(find, { what: market.symbol, ...WAIT });
  const fromMs = Number(finishedAt);
  const storedMs: number[] = [];
  const readAll = async () => {
    const count = await signals.countDocuments({ analysisId: _id });
    while (storedMs.length < count) storedMs.push(Date.now() - fromMs);
    return count >= WATCHERS;
  };
  await until(readAll, { what: "all signals", ...WAIT });
  return { analysisId: String(_id), revision, storedMs, fromMs, toMs: Date.now() };
}

interface Arrival {
  payload: unknown;
  atMs: number;
}

const pushSchema = envelopeSchema.extend({ data: eventSchemas["signal:completed"] });

function recordPushes(watchers: readonly BenchTrader[]): Arrival[] {
  const arrivals: Arrival[] = [];
  for (const { push } of watchers) {
    push.socket.on("signal:completed", (payload: unknown) => {
      arrivals.push({ payload, atMs: Date.now() });
    });
  }
  return arrivals;
}

interface Span {
  fromMs: number;
  toMs: number;
}

async function quietTime(): Promise<Span> {
  const fromMs = Date.now();
  await until(() => Date.now() > fromMs + QUIET_MS, { what: "the end of the quiet time" });
  return { fromMs, toMs: Date.now() };
}

/** Each user watches each market from the next close on. */
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
    users.map(
      ({ _id: userId }): WatchlistItemRecord => ({
        ...{ _id: new Types.ObjectId(), userId, symbol, timeframe, enabled: true },
        ...{ minConfidence: 0, amount: 100, riskPercent: 1, leverage: 1, createdAt: new Date(0) },
      }),
    ),
  );
  const candleClosedAt = new Date(lastCandleClose(timeframe, new Date()).getTime() + lengthMs);
  await watchlistItems.collection.insertMany(items, { ordered: false });
  return { candleClosedAt, timeframe };
}

function printFanOuts(fanOuts: readonly FanOut[], pushed: readonly Arrival[]): void {
  const arrivals = pushed.map(({ payload, atMs }) => {
    const { analysis } = pushSchema.parse(payload).data;
    return { analysisId: analysis?.source.analysis_id, atMs };
  });
  const pushesOf = ({ analysisId, fromMs }: FanOut) =>
    arrivals.flatMap((one) => (one.analysisId === analysisId ? one.atMs - fromMs : []));
  printTable(
    `${WATCHERS} users watch a market, ${SOCKETS} with a socket: milliseconds after its analysis`,
    fanOuts.map((one) => ({
      "AI calls": one.revision,
      signals: one.storedMs.length,
      "stored p50": percentile(one.storedMs, 0.5),
      "stored p99": percentile(one.storedMs, 0.99),
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

/** Signals of an analysis that exists, and pages of a history, at a constant rate. */
function startLoad(apiUrl: string, tokens: readonly string[]) {
  const requests: Sent[] = [];
  let count = 0;
  const send = async () => {
    count += 1;
    const kind: Kind = count % 2 ? "signal" : "history";
    const token = tokens[count % tokens.length] ?? "";
    const [atMs, startedAt] = [Date.now(), performance.now()];
    const { status } =
      kind === "signal"
        ? await callApi(`${apiUrl}/get-signal`, { token, body: SHARED_MARKET })
        : await callApi(`${apiUrl}/signal-history?limit=20`, { token });
    requests.push({ kind, atMs, tookMs: performance.now() - startedAt, status });
  };
  const sending = setInterval(() => void send(), REQUEST_INTERVAL_MS);
  return { requests, stop: () => clearInterval(sending) };
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
    ...{ WATCH_MIN_TIMEFRAME: LONGER, WORKER_CONCURRENCY: String(CONCURRENCY) },
    BENCH_ANALYSIS_MS: String(AI_TIME_MS),
  };
  const { apiUrl, settings, stop } = await startProduct({ uri, env });
  const users = copyUsers(await createUser(database, { approved: true }), WATCHERS_EACH);
  await database.users.collection.insertMany(users);
  const tokens = await createTokens(database, settings, OTHER_USERS);
  const symbols = Array.from({ length: MANY_MARKETS }, (_, index) => `COIN${index}/USDT`);
  try {
    const close = await watchNextClose(database, { users, symbols, timeframe: LONGER });
    const closedAtMs = close.candleClosedAt.getTime();
    await until(() => Date.now() >= closedAtMs, { what: "the close", withinMs: 400_000 });
    const requesting = startRequests(apiUrl, tokens);
    const made = { ...close, status: "completed" } as const;
    const count = () => database.marketAnalyses.countDocuments(made);
    await until(async () => (await count()) >= MANY_MARKETS, { what: "all analyses", ...WAIT });
    const requests = await requesting.stop();
    const analyses = await database.marketAnalyses.find(made).select({ finishedAt: 1 }).lean();
    const times = analyses.map(({ finishedAt }) => (Number(finishedAt) - closedAtMs) / 1_000);
    const title = `${MANY_MARKETS} watched markets close at once, AI calls of ${AI_TIME_MS} ms, ${CONCURRENCY} slots`;
    const finished = { "p50, s": percentile(times, 0.5), "last, s": Math.max(...times) };
    printTable(title, [{ ...finished, ...requests }]);
  } finally {
    await stop();
  }
}

/** Requests for analyses of their own at a constant rate. */
function startRequests(apiUrl: string, tokens: readonly string[]) {
  const sent: Promise<number | null>[] = [];
  const send = async () => {
    const [token = "", startedAt] = [tokens[sent.length % tokens.length], performance.now()];
    const { status } = await callApi(`${apiUrl}/get-signal`, { token, body: nextMarket() });
    return status === 200 ? performance.now() - startedAt : null;
  };
  const sending = setInterval(() => sent.push(send()), OWN_REQUEST_INTERVAL_MS);
  return {
    async stop() {
      clearInterval(sending);
      const times = (await Promise.all(sent)).flatMap((time) => time ?? []);
      return {
        requests: sent.length,
        refused: sent.length - times.length,
        "request p50, ms": percentile(times, 0.5),
        "request p99, ms": percentile(times, 0.99),
      };
    },
  };
}
