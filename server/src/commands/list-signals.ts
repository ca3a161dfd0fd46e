import { HISTORY_PAGE } from "@shared/contract/constants.ts";
import type { HistoryPage } from "@shared/contract/signal.ts";
import type { Database } from "@shared/node/database.ts";
import type { UserRecord } from "@shared/node/models/user.ts";
import { presentHistoryItem } from "@shared/node/signals/present-signal.ts";
import type { z } from "zod";
import { cutPage, olderThan, pageQuerySchema } from "./time-pages.ts";

/** Query of `GET /signal-history`. */
export const historyQuerySchema = pageQuerySchema(HISTORY_PAGE);
export type HistoryQuery = z.infer<typeof historyQuerySchema>;

/** One page of a user's finished signals, newest first. */
export async function listSignals(
  database: Database,
  user: Pick<UserRecord, "_id">,
  query: HistoryQuery,
): Promise<HistoryPage> {
  const { limit, cursor } = query;
  const found = await database.signals
    .find({
      userId: user._id,
      status: { $in: ["completed", "failed"] },
      ...olderThan("createdAt", cursor),
    })
    .sort({ createdAt: -1, _id: -1 })
    .limit(limit + 1)
    .select({ receipt: 0 })
    .lean();
  const { page, next } = cutPage(found, limit, (signal) => signal.createdAt);
  return { signals: page.map(presentHistoryItem), next_cursor: next };
}
