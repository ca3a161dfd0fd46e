import { HISTORY_PAGE } from "@shared/contract/constants.ts";
import type { HistoryPage } from "@shared/contract/signal.ts";
import type { Database } from "@shared/node/database.ts";
import type { UserRecord } from "@shared/node/models/user.ts";
import { presentHistoryItem } from "@shared/node/signals/present-signal.ts";
import { Types } from "mongoose";
import { z } from "zod";

/** Where a page ended: `<createdAt in ms>_<id>`. */
const cursorSchema = z
  .string()
  .regex(/^\d{1,15}_[0-9a-f]{24}$/, { error: "Use the next_cursor of the page before." })
  .transform((text) => {
    const [createdAtMs = "", id = ""] = text.split("_");
    return { createdAt: new Date(Number(createdAtMs)), id: new Types.ObjectId(id) };
  });

/** Query of `GET /signal-history`; a larger limit than allowed gives the largest page. */
export const historyQuerySchema = z.object({
  limit: z.coerce
    .number({ error: "Use a whole number." })
    .int({ error: "Use a whole number." })
    .min(1, { error: "Use 1 or more." })
    .transform((limit) => Math.min(limit, HISTORY_PAGE.max))
    .default(HISTORY_PAGE.default),
  cursor: cursorSchema.optional(),
});
export type HistoryQuery = z.infer<typeof historyQuerySchema>;

/** One page of a user's finished signals, newest first. */
export async function listSignals(
  database: Database,
  user: Pick<UserRecord, "_id">,
  query: HistoryQuery,
): Promise<HistoryPage> {
  const { limit, cursor } = query;
  const after = cursor && {
    $or: [
      { createdAt: { $lt: cursor.createdAt } },
      { createdAt: cursor.createdAt, _id: { $lt: cursor.id } },
    ],
  };
  const found = await database.signals
    .find({ userId: user._id, status: { $in: ["completed", "failed"] }, ...after })
    .sort({ createdAt: -1, _id: -1 })
    .limit(limit + 1)
    .select({ receipt: 0 })
    .lean();
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  return {
    signals: page.map(presentHistoryItem),
    next_cursor: hasMore ? `${last.createdAt.getTime()}_${last._id}` : null,
  };
}
