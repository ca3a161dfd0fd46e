import type { Database } from "@shared/node/database.ts";
import { pipelineColumns } from "./bench-pipeline.ts";
import { measurePipeline } from "./measure-pipeline.ts";
import { printTable } from "./print-table.ts";
import { signUpTraders } from "./sign-up-traders.ts";
import { startProduct } from "./start-product.ts";
import { summarizeRuns } from "./summarize-runs.ts";

const IN_FLIGHT = [1, 20, 50] as const;
const WARM_UP = 200;
const SIGNALS_PER_RUN = 500;
const SHARED = { symbol: "BTC/USDT", timeframe: "1d", limit: 50 };

/**
 * Measures requests that are answered from an analysis that is made already, beside requests that each need one, in the
 * same run. Market data and analysis cost nothing, so the difference is the product's own work.
 */
export async function benchShared(options: { database: Database; uri: string }): Promise<void> {
  const product = await startProduct(options);
  const { apiUrl } = product;
  const count = Math.max(...IN_FLIGHT);
  const traders = await signUpTraders({ ...options, ...product, count });
  const shared = { market: () => SHARED };
  try {
    await measurePipeline({ apiUrl, traders, inFlight: 20, count: WARM_UP });
    await measurePipeline({ apiUrl, traders, inFlight: 20, count: WARM_UP, ...shared });
    const rows = [];
    for (const inFlight of IN_FLIGHT) {
      const run = { apiUrl, traders, inFlight, count: SIGNALS_PER_RUN };
      const fresh = summarizeRuns([await measurePipeline(run)]);
      rows.push({ "in flight": inFlight, analysis: "new", ...pipelineColumns(fresh) });
      const reused = summarizeRuns([await measurePipeline({ ...run, ...shared })]);
      rows.push({ "in flight": inFlight, analysis: "shared", ...pipelineColumns(reused) });
    }
    printTable(`New and shared analyses, ${SIGNALS_PER_RUN} signals a row, milliseconds`, rows);
  } finally {
    for (const trader of traders) trader.push.close();
    await product.stop();
  }
}
