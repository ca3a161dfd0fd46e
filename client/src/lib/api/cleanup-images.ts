import { TIMEOUTS_MS } from "@shared/contract/constants.ts";
import { type CleanupResult, cleanupResultSchema } from "@shared/contract/files.ts";
import { api } from "./client.ts";

/** Has the chart images deleted that are outdated or belong to no signal; for administrators. */
export const cleanupImages = (): Promise<CleanupResult> =>
  api({
    method: "POST",
    path: "/admin/cleanup-images",
    timeoutMs: TIMEOUTS_MS.cleanup,
    schema: cleanupResultSchema,
  });
