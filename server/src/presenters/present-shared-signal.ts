import type { Candle } from "@shared/contract/candle.ts";
import type { Judgement } from "@shared/contract/judgement.ts";
import type { Analysis } from "@shared/contract/signal.ts";
import { type SharedSignal, sharedAnalysisSchema } from "@shared/contract/signal-page.ts";
import type { SignalRecord } from "@shared/node/models/signal.ts";

/** Warnings about where a signal comes from; others may tell of its user's stake or picture. */
const ABOUT_ORIGIN = /^(Demo data|Rule-based analysis):/;

/** A signal for whoever has its link: only what is listed here leaves the house. */
export function presentSharedSignal(
  signal: Pick<SignalRecord, "symbol" | "timeframe" | "createdAt"> & {
    analysis: Analysis;
    judgement: Judgement | null;
    before: Candle[];
    since: Candle[];
  },
): SharedSignal {
  const { symbol, timeframe, createdAt, judgement, before, since, analysis } = signal;
  const warnings = analysis.warnings.filter((warning) => ABOUT_ORIGIN.test(warning));
  return {
    symbol,
    timeframe,
    created_at: createdAt.toISOString(),
    analysis: sharedAnalysisSchema.parse({ ...analysis, warnings }),
    before,
    since,
    judgement,
  };
}
