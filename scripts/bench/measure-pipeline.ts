import { setTimeout as delay } from "node:timers/promises";
import type { PushClient } from "@shared/testing/push-client.ts";
import { nextMarket } from "./next-market.ts";

/** A trader with his own token and his own open socket. */
export interface BenchTrader {
  token: string;
  push: PushClient;
}

/** One signal's times in milliseconds, from the moment its request was sent. */
export interface SignalTimes {
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
  const response = await fetch(`${apiUrl}/get-signal`, {
    method: "POST",
    headers: { authorization: `Bearer ${trader.token}`, "content-type": "application/json" },
    body: JSON.stringify(market),
  });
  const answer = await response.text();
  const answerMs = performance.now() - sentAt;
  if (response.status !== 200) throw new Error(`answered ${response.status}: ${answer}`);
  return { answerMs, pushMs: (await pushed) - sentAt };
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
