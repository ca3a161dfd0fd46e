import { withDeadline } from "../market-data/deadline.ts";
import type { Witness } from "./witness-heads.ts";

const TIMEOUT_MS = 10_000;

/** Posts each head as JSON. Any 2xx status counts as success. */
export function webhookWitness(
  url: string,
  { timeoutMs = TIMEOUT_MS }: { timeoutMs?: number } = {},
): Witness {
  return {
    kind: "webhook",
    name: "webhook",
    async submit({ day, seq, hash, at }, abort) {
      const response = await withDeadline({ abort, timeoutMs }, (signal) =>
        fetch(url, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ day, seq, hash, at }),
          redirect: "error",
          signal,
        }),
      );
      await response.body?.cancel();
      if (!response.ok) throw new Error(`the webhook responded with status ${response.status}`);
      return { status: "complete" };
    },
  };
}
