import { axisDecimals } from "../../lib/format.ts";

/** A market price with as many decimals as tell its moves apart, e.g. `64,012.50`. */
export function formatQuote(price: number): string {
  const digits = axisDecimals(price);
  return price.toLocaleString("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** The points of a line through `values`, as SVG's `points`, filling a box of this size. */
export function linePoints(
  values: readonly number[],
  box: { width: number; height: number },
): string {
  const low = Math.min(...values);
  const range = Math.max(...values) - low || 1;
  const step = box.width / Math.max(1, values.length - 1);
  return values
    .map((value, index) => {
      const y = box.height - ((value - low) / range) * box.height;
      return `${(index * step).toFixed(1)},${y.toFixed(1)}`;
    })
    .join(" ");
}
