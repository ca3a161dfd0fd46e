import { Types } from "mongoose";
import { z } from "zod";

/** Where a page ended: `<time in ms>_<id>`. */
const cursorSchema = z
  .string()
  .regex(/^\d{1,15}_[0-9a-f]{24}$/, { error: "Use the next_cursor of the page before." })
  .transform((text) => {
    const [timeMs = "", id = ""] = text.split("_");
    return { time: new Date(Number(timeMs)), id: new Types.ObjectId(id) };
  });
type Cursor = z.infer<typeof cursorSchema>;

/** Query of a list that is read page by page, newest first; a larger limit than allowed gives the largest page. */
export function pageQuerySchema(size: { default: number; max: number }) {
  return z.object({
    limit: z.coerce
      .number({ error: "Use a whole number." })
      .int({ error: "Use a whole number." })
      .min(1, { error: "Use 1 or more." })
      .transform((limit) => Math.min(limit, size.max))
      .default(size.default)
      .meta({
        description: `Items of the page: ${size.default} if not given, ${size.max} at most`,
      }),
    cursor: cursorSchema.optional().meta({ description: "The `next_cursor` of the page before" }),
  });
}

/** Filter for what comes after the cursor, in the order `{ [timeField]: -1, _id: -1 }`. */
export function beforeCursor(timeField: string, cursor: Cursor | undefined) {
  if (!cursor) return {};
  const { time, id } = cursor;
  return {
    // Says nothing that the rest does not say, but in a way that bounds the scan of an index.
    [timeField]: { $lte: time },
    $or: [{ [timeField]: { $lt: time } }, { [timeField]: time, _id: { $lt: id } }],
  };
}

/**
 * One page, and the cursor of the next one if there is more.
 * @param found what was read, one item more than `limit` if there is more
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
