import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { TIMEFRAME_MS } from "@shared/contract/market-data.ts";
import type { Database } from "@shared/database/database.ts";
import { BENCH_ANALYSES } from "@shared/domain/bench-work.ts";
import { callApi } from "@shared/testing/call-api.ts";
import { startFakeOpenAi } from "@shared/testing/fakes/fake-openai.ts";
import { until } from "../faults/harness/until.ts";
import {
  type BenchOptions,
  nextMarket,
  percentile,
  printTable,
  startProduct,
} from "./start-product.ts";

/** The shortest: the arms work each minute, fifteen times as often as at 15m. */
const TIMEFRAME = "1m";
const LENGTH_MS = TIMEFRAME_MS[TIMEFRAME];
const MARKETS = 19;
const AI_TIME_MS = 2_000;
/** Of an analysis of a user: less than any model takes, so that the rest weighs more. */
const ANALYSIS_MS = 1_000;
/** Minutes with arms and as many without, in turn. */
const MINUTES_EACH = 5;
const TRADERS = 6;
/** Of each trader, between an answer and the next request. */
const PAUSE_MS = 500;
const GOAL = 1.05;

/** Measures what the arms of the bench cost the users that wait for a new analysis. */
export async function benchArms({ database, uri }: BenchOptions): Promise<void> {
  const ai = await startFakeOpenAi();
  ai.behave({ kind: "advice", delayMs: AI_TIME_MS });
  const folder = mkdtempSync(join(tmpdir(), "bench-arms-"));
  const file = join(folder, "bench.json");
  writeFileSync(file, JSON.stringify(benchFile(ai.baseUrl)));
  const env = {
    BENCH_FILE: file,
    EVENTS_URL: "off",
    BENCH_ANALYSIS_MS: String(ANALYSIS_MS),
  };
  const product = await startProduct({ database, uri, env });
  try {
    const load = startSignals(product.apiUrl, await product.createTokens(TRADERS));
    // The first ones also compile the code, of the arms too.
    await runMinute(database, { hasArms: true });
    const minutes: Minute[] = [];
    while (minutes.length < 2 * MINUTES_EACH) {
      minutes.push(await runMinute(database, { hasArms: minutes.length % 2 === 0 }));
    }
    await load.stop();
    printMinutes(minutes, load.sent);
  } finally {
    await product.stop();
    await ai.close();
    rmSync(folder, { recursive: true });
  }
}

function benchFile(baseUrl: string) {
  const model = { analyst: "openai", base_url: baseUrl };
  return {
    arms: [
      { ...model, id: "one", label: "One", model: "one" },
      { ...model, id: "other", label: "Other", model: "other" },
      { ...model, id: "three", label: "Three answers", model: "one", samples: 3 },
      { ...model, id: "blind", label: "Without names", model: "one", anonymised: true },
      { id: "own-rules", label: "Rules", analyst: "rules" },
    ],
    markets: Array.from({ length: MARKETS }, (_, index) => ({
      symbol: `COIN${index}/USDT`,
      timeframe: TIMEFRAME,
    })),
  };
}

interface Minute {
  hasArms: boolean;
  startMs: number;
  /** Analyses of arms. */
  analyses: number;
  /** From the start of the minute until the first of them started and the last one was stored. */
  firstMs: number;
  lastMs: number;
}

/** The next minute, with or without the analyses of the arms. */
async function runMinute(database: Database, { hasArms }: { hasArms: boolean }): Promise<Minute> {
  const startMs = Math.ceil((Date.now() + 500) / LENGTH_MS) * LENGTH_MS;
  // A schedule that is planned already queues nothing.
  const plannedUntil = new Date(startMs + (hasArms ? -LENGTH_MS : LENGTH_MS));
  const schedule = { $set: { plannedUntil } };
  await database.benchSchedules.updateOne({ _id: TIMEFRAME }, schedule, { upsert: true });
  await delay(startMs + LENGTH_MS - 2_000 - Date.now());
  const isOver = async () => !(await database.jobs.exists({ name: BENCH_ANALYSES }));
  await until(isOver, { what: "the analyses of all arms", withinMs: LENGTH_MS });
  const made = await database.shadowAnalyses
    .find({ candleClosedAt: new Date(startMs) })
    .select({ startedAt: 1, finishedAt: 1 })
    .lean();
  const since = (at: Date | undefined) => Number(at) - startMs;
  return {
    ...{ hasArms, startMs, analyses: made.length },
    firstMs: Math.min(...made.map(({ startedAt }) => since(startedAt))),
    lastMs: Math.max(...made.map(({ finishedAt }) => since(finishedAt))),
  };
}

interface Sent {
  atMs: number;
  tookMs: number;
  status: number;
}

/** Each trader asks for a new analysis after the other, so that a slow machine gets no more of them. */
function startSignals(apiUrl: string, tokens: readonly string[]) {
  const sent: Sent[] = [];
  let isStopped = false;
  const asking = tokens.map(async (token) => {
    while (!isStopped) {
      const atMs = Date.now();
      const startedAt = performance.now();
      const { status } = await callApi(`${apiUrl}/get-signal`, { token, body: nextMarket() });
      sent.push({ atMs, tookMs: performance.now() - startedAt, status });
      await delay(PAUSE_MS);
    }
  });
  return {
    sent,
    async stop() {
      isStopped = true;
      await Promise.all(asking);
    },
  };
}

function printMinutes(minutes: readonly Minute[], sent: readonly Sent[]): void {
  const pairs = minutes.flatMap((minute, index) => {
    const next = minutes[index + 1];
    return minute.hasArms && next ? [{ arms: minute, none: next }] : [];
  });
  const seconds = ({ arms }: (typeof pairs)[number]) =>
    `${arms.analyses} from ${(arms.firstMs / 1_000).toFixed(0)} to ${(arms.lastMs / 1_000).toFixed(0)} s`;
  console.log(`\nAnalyses of the arms in each minute: ${pairs.map(seconds).join(", ")}`);
  const parts = [
    { part: "whole minutes", spanOf: () => ({ firstMs: 0, lastMs: LENGTH_MS - 2_000 }) },
    { part: "the seconds in which arms work", spanOf: (arms: Minute) => arms },
  ];
  for (const { part, spanOf } of parts) {
    const sentIn = (name: "arms" | "none") =>
      pairs.flatMap((pair) => {
        const { firstMs, lastMs } = spanOf(pair.arms);
        const { startMs } = pair[name];
        return sent.filter(({ atMs }) => atMs >= startMs + firstMs && atMs < startMs + lastMs);
      });
    const [arms, none] = [columnsOf(sentIn("arms")), columnsOf(sentIn("none"))];
    const ratio = (name: "mean" | "p50" | "p95") => arms[name] / none[name];
    const ratios = { mean: ratio("mean"), p50: ratio("p50"), p95: ratio("p95") };
    const title = `New analyses of users, milliseconds, ${part} (goal: a ratio of at most ${GOAL})`;
    printTable(title, [
      { arms: "5 and 3 baselines", ...arms },
      { arms: "none", ...none },
      { arms: "ratio", requests: "", failed: "", ...ratios },
    ]);
  }
}

function columnsOf(sent: readonly Sent[]) {
  const times = sent.map(({ tookMs }) => tookMs);
  return {
    requests: sent.length,
    failed: sent.filter(({ status }) => status >= 400).length,
    mean: times.reduce((sum, time) => sum + time, 0) / times.length,
    p50: percentile(times, 0.5),
    p95: percentile(times, 0.95),
  };
}
