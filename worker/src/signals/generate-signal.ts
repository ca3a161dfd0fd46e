import type { Analysis } from "@shared/contract/signal.ts";
import { sizeForStake } from "@shared/node/signals/size-analysis.ts";
import type { Stake } from "@shared/node/signals/size-position.ts";
import { type AnalysisOptions, analyseMarket, type MadeAnalysis } from "./analyse-market.ts";

/** Options of one signal: what is analysed, and what the trader stakes. */
export interface SignalOptions extends AnalysisOptions {
  request: AnalysisOptions["request"] & Stake;
}

/** Makes one signal without the queue and the database, as backtests and recomputations do. See `analyseMarket`. */
export async function generateSignal(
  options: SignalOptions,
): Promise<Omit<MadeAnalysis, "analysis"> & { analysis: Analysis }> {
  const made = await analyseMarket(options);
  const { request } = options;
  return { ...made, analysis: sizeForStake({ ...made, symbol: request.symbol }, request) };
}
