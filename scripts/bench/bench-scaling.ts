import type { Database } from "@shared/node/database.ts";
import { measurePipeline } from "./measure-pipeline.ts";
import { printTable } from "./print-table.ts";
import { signUpTraders } from "./sign-up-traders.ts";
import { startProduct } from "./start-product.ts";

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
