import type { Analysis, UnsizedAnalysis } from "@shared/contract/signal.ts";
import { TEXTS } from "@shared/contract/texts.ts";
import type { MarketAnalysisRecord, MarketResult } from "../models/market-analysis.ts";
import { formatPrice } from "./round-price.ts";
import { type Stake, sizePosition } from "./size-position.ts";

/** A finished market analysis, as far as a user's signal is made from it. */
export type FinishedAnalysis = Pick<MarketAnalysisRecord, "_id" | "symbol"> & {
  finishedAt: Date;
  result: MarketResult;
};

/** The analysis as one user gets it: with its origin, and sized for what they stake. */
export function sizeAnalysis(
  { _id, symbol, finishedAt, result }: FinishedAnalysis,
  stake: Stake,
): Analysis {
  const sized = sizeForStake({ ...result, symbol }, stake);
  const origin = { analysis_id: _id.toString(), analysed_at: finishedAt.toISOString() };
  return { ...sized, source: { ...sized.source, ...origin } };
}

/** An analysis with the figures and warnings of a position. */
export function sizeForStake(
  market: { analysis: UnsizedAnalysis; quoteToUsd: number | null; symbol: string },
  stake: Stake,
): Analysis {
  const { analysis, quoteToUsd, symbol } = market;
  const size = sizePosition({
    ...{ advice: analysis, symbol, stake },
    ...(quoteToUsd !== null && { quoteToUsd }),
  });
  return {
    ...analysis,
    warnings: [...analysis.warnings, ...size.warnings],
    suggested_units: size.units,
    estimated_dollar_risk: size.dollarRisk,
    required_margin: size.requiredMargin,
  };
}

/**
 * The WAIT of a user who asks for an analysis whose entry is missed. It has one warning, which also says that the data
 * is recorded or the analyst is rule-based.
 * @param options.nextCloseAt when the next candle closes, after which a new analysis can be made
 */
export function missedEntryAnalysis(
  finished: FinishedAnalysis,
  options: { entryLeft: { price: number; at: Date }; nextCloseAt: Date },
): Analysis {
  const { analysis } = finished.result;
  const { price, at } = options.entryLeft;
  const disclosures = analysis.warnings.filter(
    (warning) =>
      warning.startsWith(TEXTS.demoDataPrefix) || warning.startsWith(TEXTS.ruleBasedPrefix),
  );
  const missed =
    `The entry is missed: the price was ${formatPrice(price)} at ${formatTime(at)}. ` +
    `The next candle closes at ${formatTime(options.nextCloseAt)}.`;
  const wait = {
    ...analysis,
    final_signal: "WAIT",
    confidence: 0,
    entry: null,
    stop_loss: null,
    take_profit: null,
    suggested_hold: "No position",
    trade_duration_text: "No trade",
    valid_until: null,
    calibrated_confidence: null,
    warnings: [[...disclosures, missed].join(" ")],
  } as const;
  const result = { ...finished.result, analysis: { ...wait, warnings: [...wait.warnings] } };
  return sizeAnalysis({ ...finished, result }, { amount: 0, riskPercent: 0, leverage: 1 });
}

/** `14:05 UTC`. */
const formatTime = (at: Date): string => `${at.toISOString().slice(11, 16)} UTC`;
