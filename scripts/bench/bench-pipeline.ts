import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { PushClient } from "@shared/testing/api-client.ts";
import {
  type BenchOptions,
  nextMarket,
  percentile,
  printTable,
  startProduct,
} from "./start-product.ts";

const IN_FLIGHT = [1, 20, 50];
const SIGNALS_PER_RUN = 1_000;
const SHARED_MARKET = { symbol: "BTC/USDT", timeframe: "1d", limit: 50 };

/** Measures the product's own share of a signal, with a new analysis and with one that exists already. */
export async function benchShared({ database, uri }: BenchOptions): Promise<void> {
  const { measure, stop } = await startPipeline(Math.max(...IN_FLIGHT), { database, uri });
  const kinds = [
    { analysis: "new", warmUp: 200 },
    // A server answers up to a third faster once its code is compiled.
    { analysis: "shared", warmUp: 2_000, market: () => SHARED_MARKET },
  ];
  try {
    for (const { warmUp: count, market } of kinds) await measure({ inFlight: 20, count, market });
    const rows: Parameters<typeof printTable>[1][number][] = [];
    for (const inFlight of IN_FLIGHT) {
      for (const { analysis, market } of kinds) {
        const run = await measure({ inFlight, count: SIGNALS_PER_RUN, market });
        rows.push({ "in flight": inFlight, analysis, ...pipelineColumns(run) });
      }
    }
    printTable(`New and shared analyses, ${SIGNALS_PER_RUN} signals a row, milliseconds`, rows);
  } finally {
    await stop();
  }
}

const WORKERS = [1, 2, 4];
const ANALYSIS_MS = 1_000;
const CONCURRENCY = 10;
const TRADERS = 80;
const SIGNALS_PER_WORKER = 60;

/** An analysis mostly waits here, as one by an AI does: the workers' concurrency is the limit, not the processor. */
export async function benchScaling({ database, uri }: BenchOptions): Promise<void> {
  const env = { WORKER_CONCURRENCY: String(CONCURRENCY), BENCH_ANALYSIS_MS: String(ANALYSIS_MS) };
  const rows = [];
  for (const workers of WORKERS) {
    const { measure, stop } = await startPipeline(TRADERS, { database, uri, workers, env });
    const run = await measure({
      inFlight: Math.min(TRADERS, 2 * CONCURRENCY * workers),
      count: SIGNALS_PER_WORKER * workers,
    });
    await stop();
    const signalsPerSecond = run.times.length / run.seconds;
    const limit = (workers * CONCURRENCY * 1_000) / ANALYSIS_MS;
    rows.push({
      workers,
      "signals/s": signalsPerSecond,
      limit,
      "of that, %": (100 * signalsPerSecond) / limit,
    });
  }
  printTable(`Scaling: analyses of ${ANALYSIS_MS} ms, concurrency ${CONCURRENCY} a worker`, rows);
}

export interface BenchTrader {
  token: string;
  push: PushClient;
}

/** `count` requests, always `inFlight` at once, one after the other for each trader. */
interface PipelineLoad {
  inFlight: number;
  count: number;
  /** The body of a request; another market each time by default. */
  market?: (() => object) | undefined;
}

async function startPipeline(traderCount: number, options: Parameters<typeof startProduct>[0]) {
  const { apiUrl: url, createTokens, stop } = await startProduct(options);
  const traders = await connectTraders(url, await createTokens(traderCount));
  return {
    measure: (load: PipelineLoad) => measurePipeline(url, traders, load),
    stop() {
      for (const { push } of traders) push.close();
      return stop();
    },
  };
}

/** Opens a socket for each token. */
export const connectTraders = (url: string, tokens: readonly string[]): Promise<BenchTrader[]> =>
  Promise.all(
    tokens.map(async (token) => {
      const push = new PushClient({ url, token, since: { user: 0 } });
      await new Promise<void>((resolve) => push.socket.once("connect", resolve));
      return { token, push };
    }),
  );

async function measurePipeline(
  apiUrl: string,
  traders: readonly BenchTrader[],
  { inFlight, count, market = nextMarket }: PipelineLoad,
) {
  /** Milliseconds from the request to the answer and to the push. */
  const times: { answerMs: number; pushMs: number }[] = [];
  let left = count;
  const startedAt = performance.now();
  await Promise.all(
    traders.slice(0, inFlight).map(async (trader) => {
      while (left > 0) {
        left -= 1;
        times.push(await requestOne(apiUrl, trader, market()));
      }
    }),
  );
  return { seconds: (performance.now() - startedAt) / 1_000, times };
}

const PUSH_TIMEOUT_MS = 60_000;

async function requestOne(apiUrl: string, { token, push }: BenchTrader, market: object) {
  const sentAt = performance.now();
  const pushed = new Promise<number>((resolve) => {
    push.socket.once("signal:completed", () => resolve(performance.now() - sentAt));
  });
  const { status, answer } = await postJson(`${apiUrl}/get-signal`, token, market);
  const answerMs = performance.now() - sentAt;
  if (status !== 200) throw new Error(`answered ${status}: ${answer}`);
  const pushMs = await Promise.race([pushed, delay(PUSH_TIMEOUT_MS, null, { ref: false })]);
  if (pushMs === null) throw new Error("a push was lost");
  return { answerMs, pushMs };
}

const agent = new Agent({ keepAlive: true });

/** Not `fetch`: it takes as much of the processors, which the product shares with the benchmark, as the server does. */
function postJson(url: string, token: string, body: object) {
  return new Promise<{ status: number; answer: string }>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const sent = request(url, { agent, headers, method: "POST" }, (response) => {
      const { statusCode: status = 0 } = response;
      text(response).then((answer) => resolve({ status, answer }), reject);
    });
    sent.on("error", reject);
    sent.end(JSON.stringify(body));
  });
}

function pipelineColumns({ times, seconds }: Awaited<ReturnType<typeof measurePipeline>>) {
  const answers = times.map(({ answerMs }) => answerMs);
  const pushes = times.map(({ pushMs }) => pushMs);
  return {
    "answer p50": percentile(answers, 0.5),
    "answer p95": percentile(answers, 0.95),
    "answer p99": percentile(answers, 0.99),
    "push p50": percentile(pushes, 0.5),
    "push p99": percentile(pushes, 0.99),
    "signals/s": times.length / seconds,
  };
}
