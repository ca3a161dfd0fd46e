import { pipelineColumns, startPipeline } from "./lib/measure-pipeline.ts";
import { printTable } from "./lib/report.ts";
import type { BenchOptions } from "./lib/start-product.ts";

const IN_FLIGHT = [1, 20, 50];
const SIGNALS_PER_RUN = 1_000;
const SHARED_MARKET = { symbol: "BTC/USDT", timeframe: "1d", limit: 50 };

/**
 * Measures the product's own share of a signal, with one server and one worker: of requests that each need a new analysis,
 * and of requests that are answered from an existing one.
 */
export async function benchShared({ database, uri }: BenchOptions): Promise<void> {
  const { measure, stop } = await startPipeline(database, Math.max(...IN_FLIGHT), { uri });
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
        rows.push({ "in flight": inFlight, analysis, ...pipelineColumns([run]) });
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

/**
 * Measures how the rate grows with the number of workers if an analysis mostly waits, as one by an AI does: then the
 * workers' concurrency is the limit, and not the processor that they share here.
 */
export async function benchScaling({ database, uri }: BenchOptions): Promise<void> {
  const env = { WORKER_CONCURRENCY: String(CONCURRENCY), BENCH_ANALYSIS_MS: String(ANALYSIS_MS) };
  const rows = [];
  for (const workers of WORKERS) {
    const { measure, stop } = await startPipeline(database, TRADERS, { uri, workers, env });
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
