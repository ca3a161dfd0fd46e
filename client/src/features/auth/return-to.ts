import type { To } from "react-router-dom";
import { z } from "zod";

/** A path of our own only: the history's state must not lead anybody elsewhere. */
const stateSchema = z.object({
  from: z.object({
    pathname: z.string().regex(/^\/(?!\/)/),
    search: z.string(),
    hash: z.string(),
  }),
});

/** Where a guard stopped the user, to go there after the login; the dashboard otherwise. */
export function readReturnTo(state: unknown): To {
  return stateSchema.safeParse(state).data?.from ?? "/dashboard";
}
