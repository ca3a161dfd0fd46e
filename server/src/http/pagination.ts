import { Types } from "mongoose";

/**
 * Filter for the items after a cursor, in the order `{ [timeField]: -1, _id: -1 }`.
 * @param cursor `<time in ms>_<id>` of the last item of the previous page
 */
export function beforeCursor(timeField: string, cursor: string | undefined) {
  if (cursor === undefined) return {};
  const [timeMs, hexId] = cursor.split("_");
  const time = new Date(Number(timeMs));
  return {
    // Redundant, but it bounds the index scan.
    [timeField]: { $lte: time },
    $or: [
      { [timeField]: { $lt: time } },
      { [timeField]: time, _id: { $lt: new Types.ObjectId(hexId) } },
    ],
  };
}

/**
 * One page, and the cursor of the next one if there is one.
 * @param found one item more than `limit` if there is a next page
 */
export function takePage<Item extends { _id: Types.ObjectId }>(
  found: readonly Item[],
  limit: number,
  timeOf: (item: Item) => Date,
): { page: Item[]; next: string | null } {
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  return { page, next: hasMore ? `${timeOf(last).getTime()}_${last._id}` : null };
}
