import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { SIGNAL_LIMITS, SYMBOL_SUGGESTIONS } from "@shared/contract/constants.ts";
import type { Database } from "@shared/database/database.ts";
import { loadSettings } from "@shared/runtime/settings.ts";
import { PushClient } from "@shared/testing/api-client.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { percentile } from "./report.ts";

/** A trader with his own token and his own open socket. */
export interface BenchTrader {
  token: string;
  push: PushClient;
}

/** One signal's times in milliseconds, from the moment its request was sent. */
interface SignalTimes {
  answerMs: number;
  pushMs: number;
}

/** All signals of one run. */
export interface PipelineRun {
  inFlight: number;
  signalsPerSecond: number;
  times: SignalTimes[];
}

const PUSH_DEADLINE_MS = 30_000;

/** Sends `count` requests, always `inFlight` at once, each trader one after the other. */
export async function measurePipeline(options: {
  apiUrl: string;
  traders: BenchTrader[];
  inFlight: number;
  count: number;
  /** What is asked for; another market each time unless given. */
  market?: () => object;
}): Promise<PipelineRun> {
  const { apiUrl, traders, inFlight, count, market = nextMarket } = options;
  const times: SignalTimes[] = [];
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
  const seconds = (performance.now() - startedAt) / 1_000;
  return { inFlight, signalsPerSecond: count / seconds, times };
}

async function requestOne(
  apiUrl: string,
  trader: BenchTrader,
  market: object,
): Promise<SignalTimes> {
  const sentAt = performance.now();
  const pushed = nextCompleted(trader.push);
  // Where the request fails, that is what the run fails with, and all that it has started is stopped in order.
  pushed.catch(() => undefined);
  const response = await postJson(`${apiUrl}/get-signal`, trader.token, market);
  const answerMs = performance.now() - sentAt;
  if (response.status !== 200) throw new Error(`answered ${response.status}: ${response.text}`);
  return { answerMs, pushMs: (await pushed) - sentAt };
}

const agent = new Agent({ keepAlive: true });

/** `fetch` costs several times as much, on the processors that the product shares with the benchmark. */
function postJson(
  url: string,
  token: string,
  body: object,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const sent = request(url, { agent, headers, method: "POST" }, (response) => {
      text(response).then(
        (answer) => resolve({ status: response.statusCode ?? 0, text: answer }),
        reject,
      );
    });
    sent.on("error", reject);
    sent.end(JSON.stringify(body));
  });
}

async function nextCompleted(push: PushClient): Promise<number> {
  const abort = new AbortController();
  const arrived = new Promise<number>((resolve) => {
    push.socket.once("signal:completed", () => resolve(performance.now()));
  });
  const late = delay(PUSH_DEADLINE_MS, undefined, { signal: abort.signal }).then(() => {
    throw new Error("the signal was not pushed in time");
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([arrived, late]);
  } finally {
    abort.abort();
  }
}

/** The longer timeframes of a day: few of their candles close while a benchmark runs. */
const TIMEFRAMES = ["1h", "4h"] as const;
const LIMITS = SIGNAL_LIMITS.limit.max - SIGNAL_LIMITS.limit.min + 1;

let used = 0;

/** What to ask for next: requests for the same market would share one analysis. */
function nextMarket(): { symbol: string; timeframe: string; limit: number } {
  used += 1;
  const symbol = SYMBOL_SUGGESTIONS[used % SYMBOL_SUGGESTIONS.length] ?? SYMBOL_SUGGESTIONS[0];
  const limit = SIGNAL_LIMITS.limit.min + (used % LIMITS);
  const timeframe = TIMEFRAMES[Math.floor(used / LIMITS) % TIMEFRAMES.length] ?? TIMEFRAMES[0];
  return { symbol, timeframe, limit };
}

/** Milliseconds, from the moment a request was sent to its answer and to the push of its result. */
export interface RunSummary {
  answerP50: number;
  answerP95: number;
  answerP99: number;
  pushP50: number;
  pushP99: number;
  signalsPerSecond: number;
}

/** All signals of several runs taken together; the rate is that of the runs one after the other. */
export function summarizeRuns(runs: readonly PipelineRun[]): RunSummary {
  const times = runs.flatMap((run) => run.times);
  const answers = times.map((time) => time.answerMs);
  const pushes = times.map((time) => time.pushMs);
  const seconds = runs.reduce((sum, run) => sum + run.times.length / run.signalsPerSecond, 0);
  return {
    answerP50: percentile(answers, 0.5),
    answerP95: percentile(answers, 0.95),
    answerP99: percentile(answers, 0.99),
    pushP50: percentile(pushes, 0.5),
    pushP99: percentile(pushes, 0.99),
    signalsPerSecond: times.length / seconds,
  };
}

/** New approved traders, each with a token and an open socket. */
export async function signUpTraders(options: {
  database: Database;
  apiUrl: string;
  jwtSecret: string;
  count: number;
}): Promise<BenchTrader[]> {
  const { database, apiUrl, jwtSecret, count } = options;
  const settings = loadSettings({ JWT_SECRET: jwtSecret, ADMIN_PASSWORD: "not used" });
  return Promise.all(
    Array.from({ length: count }, async () => {
      const user = await createUser(database, { approved: true });
      const token = signTokenFor(user, settings);
      const push = new PushClient({ url: apiUrl, token, since: { user: 0 } });
      await new Promise<void>((resolve) => push.socket.once("connect", resolve));
      return { token, push };
    }),
  );
}
