import type { QueryFilters } from "@tanstack/react-query";
import { queryClient } from "./query-client.ts";

/**
 * Reads again what something has changed. What is being read at this moment may be older than the change, so it is
 * called off first: `invalidateQueries` alone would let a first reading come to its end and leave it at that.
 */
export async function readAgain(which: QueryFilters = {}): Promise<void> {
  await queryClient.cancelQueries(which);
  await queryClient.invalidateQueries(which);
}
