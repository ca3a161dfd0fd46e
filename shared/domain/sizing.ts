import { MESSAGES } from "@shared/contract/constants.ts";
import { findInstrument, type Instrument } from "@shared/contract/instruments.ts";
import {
  type FittedPosition,
  fitPosition,
  type SizingInput,
} from "@shared/contract/position-size.ts";
import { plainPrice } from "@shared/contract/price.ts";
import type { Analysis, UnsizedAnalysis } from "@shared/contract/signal.ts";
import type { MarketAnalysisRecord, MarketResult } from "../database/models/market-analysis.ts";
import { formatNumber, formatUsd } from "./format-price.ts";

/** The fields of a finished market analysis from which signals are made. */
export type FinishedAnalysis = Pick<MarketAnalysisRecord, "_id" | "symbol"> & {
  finishedAt: Date;
  result: MarketResult;
};

/** The analysis for one user: sized, and with its origin. */
export function sizeAnalysis(
  { _id, symbol, finishedAt, result }: FinishedAnalysis,
  stake: SizingInput,
): Analysis {
  const sized = addSizing({ ...result, symbol }, stake);
  const origin = { analysis_id: _id.toString(), analysed_at: finishedAt.toISOString() };
  return { ...sized, source: { ...sized.source, ...origin } };
}

export function addSizing(
  market: { analysis: UnsizedAnalysis; quoteToUsd: number | null; symbol: string },
  stake: SizingInput,
): Analysis {
  const { analysis, quoteToUsd, symbol } = market;
  const size = sizePosition({
    advice: analysis,
    symbol,
    stake,
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
 * The WAIT for a request whose analysis has a missed entry, or one that could not be checked. Its only warning includes
 * the disclosures of demo data and rule-based analysis.
 * @param options.entryLeft null if the entry could not be checked
 * @param options.nextCloseAt when a new analysis can be made
 */
export function missedEntryAnalysis(
  finished: FinishedAnalysis,
  options: { entryLeft: { price: number; at: Date } | null; nextCloseAt: Date },
): Analysis {
  const { analysis } = finished.result;
  const { entryLeft, nextCloseAt } = options;
  const what = entryLeft
    ? `${MESSAGES.missedEntryPrefix} the price was ${plainPrice(entryLeft.price)} at ${formatTime(entryLeft.at)}.`
    : `${MESSAGES.uncheckedEntryPrefix} ${analysis.source.provider} gave no prices since the analysis.`;
  const missed = `${what} The next candle closes at ${formatTime(nextCloseAt)}.`;
  return waitInstead(finished, [[...disclosuresOf(analysis), missed].join(" ")]);
}

/** The WAIT for a request that comes after the entry window, which ended early because of a scheduled event. */
export function endedEntryAnalysis(
  finished: FinishedAnalysis,
  { endedAt, eventWarnings }: { endedAt: Date; eventWarnings: readonly string[] },
): Analysis {
  const ended = `The entry of this analysis ended at ${formatTime(endedAt)}, before a scheduled event.`;
  const reasons = eventWarnings.length > 0 ? eventWarnings : [ended];
  return waitInstead(finished, [...disclosuresOf(finished.result.analysis), ...reasons]);
}

const disclosuresOf = ({ warnings }: UnsizedAnalysis): string[] =>
  warnings.filter(
    (warning) =>
      warning.startsWith(MESSAGES.demoDataPrefix) || warning.startsWith(MESSAGES.ruleBasedPrefix),
  );

function waitInstead(finished: FinishedAnalysis, warnings: string[]): Analysis {
  const { analysis } = finished.result;
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
    warnings,
  } as const;
  const result = { ...finished.result, analysis: wait };
  return sizeAnalysis({ ...finished, result }, { amount: 0, riskPercent: 0, leverage: 1 });
}

/** `14:05 UTC`. */
const formatTime = (at: Date): string => `${at.toISOString().slice(11, 16)} UTC`;

type PositionSize = Omit<FittedPosition, "reducedFrom"> & { warnings: string[] };

/**
 * Sizes a trade so that its stop loses `amount × riskPercent / 100` USD, or less if the margin (`units × entry in USD
 * / leverage`) would exceed the amount. A WAIT has size 0.
 * @param options.quoteToUsd USD per unit of the quote currency, needed if neither side of the pair is the dollar;
 *   without it the size is 0, with a warning
 */
export function sizePosition(options: {
  advice: Pick<Analysis, "entry" | "stop_loss">;
  symbol: string;
  stake: SizingInput;
  quoteToUsd?: number | undefined;
}): PositionSize {
  const { symbol, stake, quoteToUsd } = options;
  const { entry, stop_loss: stopLoss } = options.advice;
  if (entry === null || stopLoss === null) return noPosition([]);
  const { base, quote } = symbolCurrencies(symbol);
  const rate = usdPerQuote({ symbol, entry }) ?? quoteToUsd;
  if (rate === undefined) return noPosition([unknownRateWarning(quote)]);
  const riskPerUnit = Math.abs(entry - stopLoss) * rate;
  // Exact, unlike entry × (1 / entry).
  const pricePerUnit = isUsdLike(base) && !isUsdLike(quote) ? 1 : entry * rate;
  const { reducedFrom, ...size } = fitPosition(stake, { riskPerUnit, pricePerUnit });
  const warnings = [
    ...(reducedFrom === null ? [] : [cutWarning(stake, reducedFrom, size.dollarRisk)]),
    ...liquidationWarnings({ entry, stopLoss }, stake),
  ];
  return { ...size, warnings };
}

const PERCENT = 100;

/** With leverage, the margin is lost once the price has moved by its share of the position. */
function liquidationWarnings(
  { entry, stopLoss }: { entry: number; stopLoss: number },
  { leverage }: SizingInput,
): string[] {
  const stopPercent = (PERCENT * Math.abs(entry - stopLoss)) / entry;
  const marginPercent = PERCENT / leverage;
  if (stopPercent < marginPercent) return [];
  const highest = Math.floor(PERCENT / stopPercent);
  const advice = highest > 1 ? `Use a leverage below ${highest}.` : "Use no leverage.";
  return [
    `Liquidated before the stop: at leverage ${formatNumber(leverage, 2)}, the margin is lost ` +
      `${formatNumber(marginPercent, 2)}% from the entry, and the stop is ${formatNumber(stopPercent, 2)}% away. ${advice}`,
  ];
}

const noPosition = (warnings: string[]): PositionSize => ({
  units: 0,
  dollarRisk: 0,
  requiredMargin: 0,
  warnings,
});

const unknownRateWarning = (quote: string) =>
  `Position size is not computed: the value of ${quote} in USD is not known.`;

function cutWarning(
  { amount, leverage }: SizingInput,
  riskBeforeUsd: number,
  riskUsd: number,
): string {
  return (
    `Position cut to what ${formatUsd(amount)} can carry at leverage ${formatNumber(leverage, 2)}: ` +
    `the stop now risks ${formatUsd(riskUsd)} instead of ${formatUsd(riskBeforeUsd)}.`
  );
}

/** The dollar, and tokens that are pegged to it. */
const USD_LIKE: ReadonlySet<string> = new Set([
  "USD",
  "USDT",
  "USDC",
  "BUSD",
  "FDUSD",
  "TUSD",
  "PYUSD",
  "RLUSD",
  "DAI",
  "GUSD",
  "USDD",
  "USDE",
  "USDP",
  "USDS",
  "USD1",
]);

/** Base and quote of a symbol. A symbol without a slash is priced in USD. */
export function symbolCurrencies(symbol: string): Pick<Instrument, "base" | "quote"> {
  const instrument = findInstrument(symbol);
  if (instrument) return { base: instrument.base, quote: instrument.quote };
  const slash = symbol.lastIndexOf("/");
  if (slash === -1) return { base: symbol, quote: "USD" };
  return { base: symbol.slice(0, slash), quote: symbol.slice(slash + 1) };
}

export function isUsdLike(currency: string): boolean {
  return USD_LIKE.has(currency);
}

/**
 * USD per unit of the quote currency: 1 for a dollar quote, `1 / entry` for a dollar base (USD/JPY). Null for other
 * pairs.
 */
export function usdPerQuote(options: { symbol: string; entry: number }): number | null {
  const { base, quote } = symbolCurrencies(options.symbol);
  if (isUsdLike(quote)) return 1;
  return isUsdLike(base) ? 1 / options.entry : null;
}
