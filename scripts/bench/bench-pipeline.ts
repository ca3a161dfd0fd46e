import type { Database } from "@shared/node/database.ts";
import { measurePipeline } from "./measure-pipeline.ts";
import { printTable } from "./print-table.ts";
import { signUpTraders } from "./sign-up-traders.ts";
import { startProduct } from "./start-product.ts";
import { type RunSummary, summarizeRuns } from "./summarize-runs.ts";

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
