import { TIMEOUTS_MS } from "@shared/contract/constants.ts";
import { type CleanupResult, cleanupResultSchema } from "@shared/contract/files.ts";
import { api } from "./client.ts";

/** Deletes chart images that are older than 30 days or belong to no signal. For administrators. */
export const cleanupImages = (): Promise<CleanupResult> =>
  api({
    method: "POST",
    path: "/admin/cleanup-images",
    timeoutMs: TIMEOUTS_MS.cleanup,
    schema: cleanupResultSchema,
  });
