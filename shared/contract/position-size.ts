/** `amount` in USD, `riskPercent` of it above 0 to 100, `leverage` from 1. */
export interface SizingInput {
  amount: number;
  riskPercent: number;
  leverage: number;
}

/** In USD, of one unit of the base: its loss at the stop, and its price. */
interface UnitValue {
  riskPerUnit: number;
  pricePerUnit: number;
}

/** `units` of the base; risk at the stop and margin in USD. */
export interface FittedPosition {
  units: number;
  dollarRisk: number;
  requiredMargin: number;
  /** The risk that was asked for, if the margin for it would exceed the amount. */
  reducedFrom: number | null;
}

/** The position that loses `amount × riskPercent / 100` at the stop, or less if its margin would exceed the amount. */
export function fitPosition(stake: SizingInput, unit: UnitValue): FittedPosition {
  const { amount, riskPercent, leverage } = stake;
  const { riskPerUnit, pricePerUnit } = unit;
  const dollarRisk = (amount * riskPercent) / 100;
  const units = dollarRisk / riskPerUnit;
  const requiredMargin = (units * pricePerUnit) / leverage;
  if (requiredMargin <= amount) return { units, dollarRisk, requiredMargin, reducedFrom: null };
  const fittingUnits = (amount * leverage) / pricePerUnit;
  return {
    units: fittingUnits,
    // Rounding must not raise the risk above the requested one.
    dollarRisk: Math.min(fittingUnits * riskPerUnit, dollarRisk),
    requiredMargin: amount,
    reducedFrom: dollarRisk,
  };
}
