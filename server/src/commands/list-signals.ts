import { HISTORY_PAGE } from "@shared/contract/constants.ts";
import { historyFilterSchema } from "@shared/contract/history.ts";
import type { HistoryPage } from "@shared/contract/signal.ts";
import type { Database } from "@shared/node/database.ts";
import type { UserRecord } from "@shared/node/models/user.ts";
import { presentHistoryItem } from "@shared/node/signals/present-signal.ts";
import type { z } from "zod";
import { cutPage, olderThan, pageQuerySchema } from "./time-pages.ts";

/** Query of `GET /signal-history`. */
export const historyQuerySchema = pageQuerySchema(HISTORY_PAGE).extend(historyFilterSchema.shape);
export type HistoryQuery = z.infer<typeof historyQuerySchema>;

type Owner = Pick<UserRecord, "_id">;

/** One page of a user's finished signals, newest first. */
export async function listSignals(
  database: Database,
  user: Owner,
  query: HistoryQuery,
): Promise<HistoryPage> {
  const { limit, cursor } = query;
  const found = await database.signals
    .find({
      userId: user._id,
      status: { $in: ["completed", "failed"] },
      ...(await wantedOnly(database, user, query)),
      ...olderThan("createdAt", cursor),
    })
    .sort({ createdAt: -1, _id: -1 })
    .limit(limit + 1)
    .select({ receipt: 0 })
    .lean();
  const { page, next } = cutPage(found, limit, (signal) => signal.createdAt);
  return { signals: page.map(presentHistoryItem), next_cursor: next };
}

/** What the filter leaves, in terms that the indexes know. */
async function wantedOnly(database: Database, user: Owner, query: HistoryQuery) {
  const { symbol, signal, outcome } = query;
  return {
    ...(symbol !== undefined && { symbol: { $in: await symbolsWith(database, user, symbol) } }),
    ...(signal && { "analysis.final_signal": signal }),
    ...(outcome && { outcome: outcome === "PENDING" ? null : outcome }),
  };
}

/** The symbols of a user's signals that `part` is in. The index is read once for each symbol, not for each signal. */
async function symbolsWith(database: Database, user: Owner, part: string): Promise<string[]> {
  const symbols = await database.signals.distinct("symbol", { userId: user._id });
  return symbols.filter((symbol) => symbol.includes(part));
}
