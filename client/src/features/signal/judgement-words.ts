import type { Judgement } from "@shared/contract/judgement.ts";
import { formatPrice } from "../../lib/format.ts";
import type { TradeLevels } from "../../lib/trade-levels.ts";

const signed = new Intl.NumberFormat("en-US", {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
  signDisplay: "exceptZero",
});

/** A result in R, e.g. `+1.98 R`. */
export const formatR = (r: number): string => `${signed.format(r).replace("-", "\u2212")} R`;

/** How a signal was judged, in one or two plain sentences. */
export function judgementWords(judgement: Judgement, levels: TradeLevels): string {
  const { reason, exit } = judgement;
  switch (reason) {
    case "target":
      return exit !== null && exit !== levels.takeProfit
        ? `The market opened beyond the target and closed the trade at ${formatPrice(exit)}.`
        : "The market traded beyond the target.";
    case "stop":
      return exit !== null && exit !== levels.stopLoss
        ? `The market opened beyond the stop and closed the trade at ${formatPrice(exit)}.`
        : "The market reached the stop.";
    case "both":
      return "Stop and target were both reached within one candle. What came first cannot be told, so the stop counts.";
    case "hold-over":
      return `Neither stop nor target was reached within the suggested hold. The trade ended at the close${exit === null ? "" : `, ${formatPrice(exit)}`}.`;
    case "not-filled":
      return "The market never traded beyond the entry while it was valid. There was no trade.";
  }
}
