import { z } from "zod";

/** Query of a list that is read page by page, newest first. A limit above the maximum gives the largest page. */
export function pageQuerySchema(size: { default: number; max: number }) {
  return z.object({
    limit: pageLimitSchema("Items", size),
    cursor: z
      .string()
      .regex(/^\d{1,15}_[0-9a-f]{24}$/, { error: "Use the next_cursor of the previous page." })
      .optional()
      .meta({ description: "The `next_cursor` of the previous page" }),
  });
}
export type PageQuery = z.infer<ReturnType<typeof pageQuerySchema>>;

export const pageLimitSchema = (items: string, size: { default: number; max: number }) =>
  wholeNumberSchema(1)
    .transform((limit) => Math.min(limit, size.max))
    .default(size.default)
    .meta({ description: `${items} per page: ${size.default} by default, at most ${size.max}` });

export const wholeNumberSchema = (min: number) =>
  z.coerce
    .number({ error: "Use a whole number." })
    .int({ error: "Use a whole number." })
    .min(min, { error: `Use ${min} or more.` });
