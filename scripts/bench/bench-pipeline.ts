import type { Database } from "@shared/database/database.ts";
import {
  measurePipeline,
  type RunSummary,
  signUpTraders,
  summarizeRuns,
} from "./lib/measure-pipeline.ts";
import { printTable } from "./lib/report.ts";
import { startProduct } from "./lib/start-product.ts";

const IN_FLIGHT = [1, 20, 50] as const;
const WARM_UP = 200;
const SIGNALS_PER_RUN = 500;

/**
 * Measures the pipeline's own share of a signal: request in, REST answer and push out, while market data and
 * analysis cost nothing. One server and one worker, each a process of its own.
 */
export async function benchPipeline(options: { database: Database; uri: string }): Promise<void> {
  const product = await startProduct(options);
  const { apiUrl } = product;
  const count = Math.max(...IN_FLIGHT);
  const traders = await signUpTraders({ ...options, ...product, count });
  try {
    await measurePipeline({ apiUrl, traders, inFlight: 20, count: WARM_UP });
    const rows = [];
    for (const inFlight of IN_FLIGHT) {
      const run = await measurePipeline({ apiUrl, traders, inFlight, count: SIGNALS_PER_RUN });
      rows.push({ "in flight": inFlight, ...pipelineColumns(summarizeRuns([run])) });
    }
    printTable(`Pipeline overhead, ${SIGNALS_PER_RUN} signals a row, milliseconds`, rows);
  } finally {
    for (const trader of traders) trader.push.close();
    await product.stop();
  }
}

/** A summary as tables show it. */
export const pipelineColumns = (summary: RunSummary) => ({
  "answer p50": summary.answerP50,
  "answer p95": summary.answerP95,
  "answer p99": summary.answerP99,
  "push p50": summary.pushP50,
  "push p99": summary.pushP99,
  "signals/s": summary.signalsPerSecond,
});

const WORKERS = [1, 2, 4] as const;
const ANALYSIS_MS = 1_000;
/** Analyses that one worker does at once. */
const CONCURRENCY = 10;
const TRADERS = 80;
const SIGNALS_PER_WORKER = 60;

/**
 * Measures how the rate grows with the workers, when an analysis mostly waits, as one that asks an AI does: then the
 * workers' places are what is short, and not the processor that they all share here.
 */
export async function benchScaling(options: { database: Database; uri: string }): Promise<void> {
  const rows = [];
  for (const workers of WORKERS) {
    const env = {
      WORKER_CONCURRENCY: String(CONCURRENCY),
      BENCH_ANALYSIS_MS: String(ANALYSIS_MS),
    };
    const product = await startProduct({ ...options, workers, env });
    const { apiUrl } = product;
    const traders = await signUpTraders({ ...options, ...product, count: TRADERS });
    const count = SIGNALS_PER_WORKER * workers;
    const inFlight = Math.min(TRADERS, 2 * CONCURRENCY * workers);
    const run = await measurePipeline({ apiUrl, traders, inFlight, count });
    for (const trader of traders) trader.push.close();
    await product.stop();
    const most = (workers * CONCURRENCY * 1_000) / ANALYSIS_MS;
    rows.push({
      workers,
      "signals/s": run.signalsPerSecond,
      "places allow": most,
      "of that, %": (100 * run.signalsPerSecond) / most,
    });
  }
  printTable(`Scaling: analyses of ${ANALYSIS_MS} ms, ${CONCURRENCY} places in each worker`, rows);
}

const SHARED_IN_FLIGHT = [1, 20, 50] as const;
/** A server answers up to a third faster once its code is compiled. */
const SHARED_WARM_UP = 2_000;
const SHARED_SIGNALS_PER_RUN = 1_000;
const SHARED = { symbol: "BTC/USDT", timeframe: "1d", limit: 50 };

/**
 * Measures requests that are answered from an analysis that is made already, beside requests that each need one, in the
 * same run. Market data and analysis cost nothing, so the difference is the product's own work.
 */
export async function benchShared(options: { database: Database; uri: string }): Promise<void> {
  const product = await startProduct(options);
  const { apiUrl } = product;
  const count = Math.max(...SHARED_IN_FLIGHT);
  const traders = await signUpTraders({ ...options, ...product, count });
  const shared = { market: () => SHARED };
  try {
    await measurePipeline({ apiUrl, traders, inFlight: 20, count: 200 });
    await measurePipeline({ apiUrl, traders, inFlight: 20, count: SHARED_WARM_UP, ...shared });
    const rows = [];
    for (const inFlight of SHARED_IN_FLIGHT) {
      const run = { apiUrl, traders, inFlight, count: SHARED_SIGNALS_PER_RUN };
      const fresh = summarizeRuns([await measurePipeline(run)]);
      rows.push({ "in flight": inFlight, analysis: "new", ...pipelineColumns(fresh) });
      const reused = summarizeRuns([await measurePipeline({ ...run, ...shared })]);
      rows.push({ "in flight": inFlight, analysis: "shared", ...pipelineColumns(reused) });
    }
    printTable(
      `New and shared analyses, ${SHARED_SIGNALS_PER_RUN} signals a row, milliseconds`,
      rows,
    );
  } finally {
    for (const trader of traders) trader.push.close();
    await product.stop();
  }
}
