import { formatPoints } from "@shared/contract/edge-statement.ts";
import { findInstrument } from "@shared/contract/instruments.ts";

export const NO_VALUE = "–";

const decimals = (count: number, extra: Intl.NumberFormatOptions = {}) =>
  new Intl.NumberFormat("en-US", {
    minimumFractionDigits: count,
    maximumFractionDigits: count,
    ...extra,
  });
const signed = { signDisplay: "exceptZero" } as const;

const whole = decimals(0);
const rFormat = decimals(1, signed);
const meanRFormat = decimals(2, signed);
const plainR = decimals(1);
const usd = decimals(2, { ...signed, style: "currency", currency: "USD" });
const percent = decimals(1, { style: "percent" });
const signedPercent = decimals(1, { ...signed, style: "percent" });
const ratio = decimals(2);

const typeset = (text: string): string => text.replaceAll("-", "−");

export const formatCount = (value: number): string => whole.format(value);
export const formatR = (value: number): string => `${typeset(rFormat.format(value))} R`;
export const formatMeanR = (value: number): string => `${typeset(meanRFormat.format(value))} R`;
export const formatFall = (value: number): string => `${plainR.format(value)} R`;
export const formatCost = (value: number): string => `${ratio.format(value)} R`;
export const formatUsd = (value: number): string => typeset(usd.format(value));
export const formatShare = (value: number): string => percent.format(value);
export const formatSignedShare = (value: number): string => typeset(signedPercent.format(value));
export const formatEdge = (value: number): string => `${formatPoints(value)} pp`;
export const formatRatio = (value: number): string => ratio.format(value);

export const orDash = (value: number | null, format: (value: number) => string): string =>
  value === null ? NO_VALUE : format(value);

export const formatRange = (
  { low, high }: { low: number; high: number },
  format: (value: number) => string,
): string => `${format(low)} to ${format(high)}`;

export function formatPrice(symbol: string, value: number): string {
  const known = findInstrument(symbol)?.decimals;
  if (known !== undefined) return decimals(known).format(value);
  return new Intl.NumberFormat("en-US", { maximumSignificantDigits: 6 }).format(value);
}

export const formatTime = (iso: string): string => iso.slice(0, 16).replace("T", " ");
export const formatDay = (iso: string): string => iso.slice(0, 10);
