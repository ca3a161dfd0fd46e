import pRetry from "p-retry";
import { apiUrl } from "./stage.ts";

/** The runner waits for the pages only, which may be there before the API is. */
export default async function untilApiAnswers(): Promise<void> {
  await pRetry(() => fetch(`${apiUrl}/status`), { retries: 100, minTimeout: 200, factor: 1 });
}
