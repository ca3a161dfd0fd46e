import type { Analysis } from "@shared/contract/signal.ts";
import { formatNumber, formatUsd } from "./round-price.ts";
import { isUsdLike, symbolCurrencies, usdPerQuote } from "./symbol-currencies.ts";

/** What the trader stakes: `amount` in USD, `riskPercent` of it above 0 to 100, `leverage` from 1. */
export interface Stake {
  amount: number;
  riskPercent: number;
  leverage: number;
}

/** Figures of a trade: `units` of the base; risk at the stop and margin in USD. */
export interface PositionSize {
  units: number;
  dollarRisk: number;
  requiredMargin: number;
  warnings: string[];
}

/**
 * Sizes a trade so that its stop loses `amount × riskPercent / 100` USD, or less where the margin
 * (`units × entry in USD / leverage`) would exceed the amount. A WAIT is sized 0.
 * `quoteToUsd` is USD per unit of the quote currency, needed only where neither side of the pair is the dollar;
 * without it there the size is 0, with a warning.
 */
export function sizePosition(options: {
  advice: Pick<Analysis, "entry" | "stop_loss">;
  symbol: string;
  stake: Stake;
  quoteToUsd?: number | undefined;
}): PositionSize {
  const { symbol, stake, quoteToUsd } = options;
  const { entry, stop_loss: stopLoss } = options.advice;
  if (entry === null || stopLoss === null) return noPosition([]);
  const { base, quote } = symbolCurrencies(symbol);
  const rate = usdPerQuote({ symbol, entry }) ?? quoteToUsd;
  if (rate === undefined) return noPosition([unknownRateWarning(quote)]);
  const riskPerUnit = Math.abs(entry - stopLoss) * rate;
  // A dollar costs a dollar: entry × (1 / entry) would miss it by a rounding error.
  const pricePerUnit = isUsdLike(base) && !isUsdLike(quote) ? 1 : entry * rate;
  return fitToAmount({ stake, riskPerUnit, pricePerUnit });
}

function fitToAmount(options: {
  stake: Stake;
  riskPerUnit: number;
  pricePerUnit: number;
}): PositionSize {
  const { stake, riskPerUnit, pricePerUnit } = options;
  const { amount, riskPercent, leverage } = stake;
  const dollarRisk = (amount * riskPercent) / 100;
  const units = dollarRisk / riskPerUnit;
  const requiredMargin = (units * pricePerUnit) / leverage;
  if (requiredMargin <= amount) return { units, dollarRisk, requiredMargin, warnings: [] };
  const fittingUnits = (amount * leverage) / pricePerUnit;
  // The smaller of both, as rounding must not lift the risk above what was asked for.
  const fittingRisk = Math.min(fittingUnits * riskPerUnit, dollarRisk);
  return {
    units: fittingUnits,
    dollarRisk: fittingRisk,
    requiredMargin: amount,
    warnings: [cutWarning({ stake, asked: dollarRisk, kept: fittingRisk })],
  };
}

const noPosition = (warnings: string[]): PositionSize => ({
  units: 0,
  dollarRisk: 0,
  requiredMargin: 0,
  warnings,
});

const unknownRateWarning = (quote: string) =>
  `Position size is not computed: the value of ${quote} in USD is not known.`;

function cutWarning(options: { stake: Stake; asked: number; kept: number }): string {
  const { amount, leverage } = options.stake;
  return (
    `Position cut to what ${formatUsd(amount)} can carry at leverage ${formatNumber(leverage, 2)}: ` +
    `the stop now risks ${formatUsd(options.kept)} instead of ${formatUsd(options.asked)}.`
  );
}
