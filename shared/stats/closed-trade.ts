import type { Judgement } from "@shared/contract/judgement.ts";
import { levelScore, noEdgeChance } from "./no-edge.ts";
import type { ClosedTrade } from "./tally.ts";

/** A judgement with the levels that it was made about, in the quote currency. */
type JudgedLevels = Pick<Judgement, "reason" | "filled_at" | "fill" | "exit" | "r_multiple"> & {
  stopLoss: number;
  takeProfit: number;
};

/**
 * A judged trade as the statistics count it, from the price that it was filled at: a better or worse one than asked for
 * changes the chances. Null for one that was not filled.
 */
export function closedTrade(judged: JudgedLevels): ClosedTrade | null {
  const { reason, filled_at: filledAt, fill, exit, r_multiple: rMultiple, ...levels } = judged;
  if (filledAt === null || fill === null || exit === null || rMultiple === null) return null;
  const score = {
    target: 1,
    stop: 0,
    both: 0,
    "not-filled": 0,
    "hold-over": levelScore(exit, levels),
  };
  return {
    openedAt: Date.parse(filledAt),
    noEdge: noEdgeChance({ ...levels, entry: fill }),
    score: score[reason],
    rMultiple,
  };
}
