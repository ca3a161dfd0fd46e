import { MINUTE_MS } from "@shared/contract/constants.ts";
import type { Resolution, SharedFrom } from "@shared/contract/resolution.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import type { ServerDeps } from "../../server-deps.ts";

/** When visitors may see a trade: an open one is what the operator sells. */
export function sharedFrom(
  { settings, now }: Pick<ServerDeps, "settings" | "now">,
  { analysis, createdAt }: Pick<SignalRecord, "analysis" | "createdAt">,
  judgement: Resolution | null,
): SharedFrom {
  if (judgement || analysis?.final_signal === "WAIT") return "now";
  const delayMinutes = settings.SHARE_DELAY_MINUTES;
  if (delayMinutes === null) return "outcome";
  const from = new Date(createdAt.getTime() + delayMinutes * MINUTE_MS);
  return from > now() ? from.toISOString() : "now";
}
