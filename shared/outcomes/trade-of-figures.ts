import type { LedgerFigures } from "@shared/contract/ledger.ts";
import { validUntil } from "@shared/contract/validity.ts";
import { holdLimit } from "./hold-limit.ts";
import type { Trade } from "./trade.ts";

/** The trade that an analysis advises, from the figures that the ledger records; null for one that advises none. */
export function tradeOfFigures(figures: LedgerFigures): Trade | null {
  const { symbol, timeframe, final_signal: side, entry, stop_loss, take_profit } = figures;
  if (side === "WAIT" || entry === null || stop_loss === null || take_profit === null) return null;
  const { valid_until, suggested_hold, hold_candles } = figures;
  const lastCandleAt = Date.parse(figures.last_candle_at ?? figures.created_at);
  return {
    ...{ symbol, timeframe, side, entry },
    stopLoss: stop_loss,
    takeProfit: take_profit,
    price: figures.price ?? entry,
    // Nobody could act on what the market did while the analysis was made.
    createdAt: Date.parse(figures.finished_at),
    validUntil: valid_until ? Date.parse(valid_until) : validUntil({ timeframe, lastCandleAt }),
    holdCandles: holdLimit({
      candles: hold_candles,
      text: suggested_hold,
      timeframe,
      from: lastCandleAt,
    }),
  };
}
