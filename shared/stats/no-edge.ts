/** Levels of a trade, in the quote currency; `entry` is the price it was filled at. */
export interface Levels {
  entry: number;
  stopLoss: number;
  takeProfit: number;
}

/**
 * Baseline win rate: the chance that a price without drift reaches the target before the stop, which is
 * stop distance / (stop distance + target distance), the gambler's ruin (Feller, vol. 1, ch. XIV). A near target is
 * reached more often than not without any skill; that is why a win rate says nothing without this number beside it.
 *
 * A fill beyond a level has that level's chance, 0 or 1.
 */
export const noEdgeChance = ({ entry, ...levels }: Levels): number => levelScore(entry, levels);

/**
 * Position of a price between stop loss (0) and take profit (1), of a BUY or a SELL; a price beyond a level counts as
 * that level.
 *
 * For the exit of a trade that was closed at its hold limit, this is its score: what it counts beside a win (1) and a
 * loss (0). The position of a price without drift is a martingale, so its expected value at the exit is that at the
 * entry, the baseline, whatever the hold limit (optional stopping; Feller, vol. 2, ch. VI). To leave such trades out
 * would not do: within a short time the nearer level is reached more often than the baseline says.
 */
export function levelScore(price: number, levels: Omit<Levels, "entry">): number {
  const { stopLoss, takeProfit } = levels;
  const score = (price - stopLoss) / (takeProfit - stopLoss);
  return Math.min(1, Math.max(0, score));
}
