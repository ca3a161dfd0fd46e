import type { TradingCostTable } from "@shared/contract/trading-costs.ts";
import type { Database } from "@shared/database/database.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import type { Analyst } from "./analysis/analyst.ts";
import type { MarketData } from "./market-data/market-data.ts";
import type { WorkerMetrics } from "./metrics/worker-metrics.ts";

/** What the worker's jobs work with. */
export interface WorkerDeps {
  database: Database;
  logger: Logger;
  marketData: MarketData;
  analyst: Analyst;
  metrics: WorkerMetrics;
  tradingCosts: TradingCostTable;
  /** Daily AI budget in US dollars; unset without one. */
  budgetUsdPerDay?: number | undefined;
  now: () => Date;
  /** Aborts when the worker has to hand back what it is working on. */
  shutdown: AbortSignal;
}
