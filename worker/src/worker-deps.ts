import type { TradingCostTable } from "@shared/contract/resolution.ts";
import type { Database } from "@shared/database/database.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import type { Analyst } from "./analysis/analyst.ts";
import type { EvidenceProvider } from "./analysis/evidence/evidence-pack.ts";
import type { MarketData } from "./market-data/market-data.ts";
import type { WorkerMetrics } from "./worker-metrics.ts";

export interface WorkerDeps {
  database: Database;
  logger: Logger;
  marketData: MarketData;
  analyst: Analyst;
  metrics: WorkerMetrics;
  evidence: EvidenceProvider;
  tradingCosts: TradingCostTable;
  budgetUsdPerDay?: number | undefined;
  now: () => Date;
  /** Fires when running work has to be returned to the queue. */
  shutdown: AbortSignal;
}
