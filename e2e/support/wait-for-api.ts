import pRetry from "p-retry";
import { apiUrlOf, clientUrlOf, stages } from "./config.ts";

const RETRY = { retries: 900, minTimeout: 200, factor: 1 } as const;

async function untilAnswered(url: string): Promise<void> {
  const { ok, status } = await fetch(url);
  if (!ok) throw new Error(`${url}: ${status}`);
}

/** The runner itself waits for the pages of the first product only, which may be ready before its API is. */
export default async function untilApisAnswer(): Promise<void> {
  const urls = stages.flatMap((stage) => [
    `${apiUrlOf(stage)}/status`,
    `${clientUrlOf(stage)}/healthz`,
  ]);
  await Promise.all(urls.map((url) => pRetry(() => untilAnswered(url), RETRY)));
}
