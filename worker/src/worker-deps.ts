import type { TradingCostTable } from "@shared/contract/trading-costs.ts";
import type { Database } from "@shared/node/database.ts";
import type { Logger } from "@shared/node/logger.ts";
import type { WorkerMetrics } from "./metrics/worker-metrics.ts";
import type { MarketData } from "./providers/market-data.ts";
import type { Analyst } from "./signals/analyst.ts";

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
