import type { HistoryFilter } from "@shared/contract/routes/signal-routes.ts";
import { type HistoryTotals, outcomeSchema } from "@shared/contract/signal.ts";
import type { Database } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { wilsonInterval } from "@shared/stats/intervals.ts";
import { wantedOnly } from "./queries.ts";

/** Of the standard normal distribution, for 95%. */
const QUANTILE = 1.959964;

/** Totals of all signals of a user that match a filter. */
export async function sumHistory(
  database: Database,
  user: Pick<UserRecord, "_id">,
  filter: HistoryFilter,
): Promise<HistoryTotals> {
  const wanted = await wantedOnly(database, user, filter);
  const [signals, analysisIds] = await Promise.all([
    database.signals.countDocuments(wanted),
    database.signals.distinct("analysisId", { $and: [wanted, ENDED] }),
  ]);
  const filled = { _id: { $in: analysisIds }, "resolution.r_multiple": { $type: "number" } };
  const isWin = { $cond: [{ $gt: ["$resolution.r_multiple", 0] }, 1, 0] };
  const [sums = NONE] = await database.marketAnalyses.aggregate<typeof NONE>([
    { $match: filled },
    {
      $group: {
        _id: null,
        trades: { $sum: 1 },
        wins: { $sum: isWin },
        r: { $sum: "$resolution.r_multiple" },
      },
    },
  ]);
  const { trades, wins, r } = sums;
  return { signals, trades, wins, r, win_rate: winRate(wins, trades) };
}

const ENDED = { outcome: { $in: outcomeSchema.options } };
const NONE = { trades: 0, wins: 0, r: 0 };

function winRate(wins: number, trades: number): HistoryTotals["win_rate"] {
  if (trades === 0) return null;
  const value = wins / trades;
  return { value, ...wilsonInterval(value, trades, QUANTILE) };
}
