import { marketsSchema } from "@shared/contract/markets.ts";
import pRetry from "p-retry";
import type { FullConfig } from "playwright/test";

const RETRY = { retries: 900, minTimeout: 200, factor: 1 } as const;

/**
 * The runner itself waits for the pages only; the first prices come from the worker, once it is ready. The configuration's
 * metadata name the address of the API.
 */
export default async function untilPricesAreThere({ metadata }: FullConfig): Promise<void> {
  await pRetry(async () => {
    const response = await fetch(`${metadata.apiUrl}/markets`);
    const { markets } = marketsSchema.parse(await response.json());
    if (markets.length === 0) throw new Error("The worker has published no prices yet.");
  }, RETRY);
}
