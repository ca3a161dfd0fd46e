import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { SIGNAL_LIMITS, SYMBOL_SUGGESTIONS } from "@shared/contract/constants.ts";
import type { Database } from "@shared/database/database.ts";
import { PushClient } from "@shared/testing/api-client.ts";
import { percentile } from "./report.ts";
import { createTokens, startProduct } from "./start-product.ts";

interface BenchTrader {
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

/** Milliseconds of each signal, from its request to the answer and to the push. */
export interface PipelineRun {
  seconds: number;
  times: { answerMs: number; pushMs: number }[];
}

export interface MeasuredPipeline {
  measure: (load: PipelineLoad) => Promise<PipelineRun>;
  stop: () => Promise<unknown>;
}

/** Starts a build with approved traders, whose sockets are open. */
export async function startPipeline(
  database: Database,
  traderCount: number,
  options: Parameters<typeof startProduct>[0],
): Promise<MeasuredPipeline> {
  const { apiUrl: url, settings, stop } = await startProduct(options);
  const tokens = await createTokens(database, settings, traderCount);
  const traders = await Promise.all(
    tokens.map(async (token) => {
      const push = new PushClient({ url, token, since: { user: 0 } });
      await new Promise<void>((resolve) => push.socket.once("connect", resolve));
      return { token, push };
    }),
  );
  return {
    measure: (load) => measurePipeline(url, traders, load),
    stop() {
      for (const { push } of traders) push.close();
      return stop();
    },
  };
}

async function measurePipeline(
  apiUrl: string,
  traders: readonly BenchTrader[],
  { inFlight, count, market = nextMarket }: PipelineLoad,
): Promise<PipelineRun> {
  const times: PipelineRun["times"] = [];
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

async function requestOne(apiUrl: string, { token, push }: BenchTrader, market: object) {
  const sentAt = performance.now();
  const pushed = new Promise<number>((resolve) => {
    push.socket.once("signal:completed", () => resolve(performance.now() - sentAt));
  });
  const { status, answer } = await postJson(`${apiUrl}/get-signal`, token, market);
  const answerMs = performance.now() - sentAt;
  if (status !== 200) throw new Error(`answered ${status}: ${answer}`);
  return { answerMs, pushMs: await pushed };
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

/** Crypto trades around the clock: in a closed market, a request would be answered without the AI. */
const SYMBOLS = SYMBOL_SUGGESTIONS.filter((symbol) => symbol.endsWith("/USDT"));
/** Few of their candles close while a benchmark runs. */
const TIMEFRAMES = ["1h", "4h"];
const LIMITS = SIGNAL_LIMITS.limit.max - SIGNAL_LIMITS.limit.min + 1;

let requested = 0;

/** Another market each time: requests for the same one would share an analysis. */
export function nextMarket(): { symbol: string; timeframe: string; limit: number } {
  requested += 1;
  const symbol = SYMBOLS[requested % SYMBOLS.length] ?? "";
  const timeframe = TIMEFRAMES[Math.floor(requested / LIMITS) % TIMEFRAMES.length] ?? "";
  return { symbol, timeframe, limit: SIGNAL_LIMITS.limit.min + (requested % LIMITS) };
}

/** Columns of all signals of several runs, in milliseconds. The rate is that of the runs one after the other. */
export function pipelineColumns(runs: readonly PipelineRun[]) {
  const times = runs.flatMap((run) => run.times);
  const answers = times.map(({ answerMs }) => answerMs);
  const pushes = times.map(({ pushMs }) => pushMs);
  return {
    "answer p50": percentile(answers, 0.5),
    "answer p95": percentile(answers, 0.95),
    "answer p99": percentile(answers, 0.99),
    "push p50": percentile(pushes, 0.5),
    "push p99": percentile(pushes, 0.99),
    "signals/s": times.length / runs.reduce((sum, { seconds }) => sum + seconds, 0),
  };
}
