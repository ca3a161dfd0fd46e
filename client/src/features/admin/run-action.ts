import type { ActionDone } from "@shared/contract/admin.ts";
import { errorText } from "../../lib/api/api-error.ts";
import { useLive } from "../../lib/live/live-store.ts";
import { readAgain } from "../../lib/read-again.ts";
import { adminKeys } from "./admin-queries.ts";
import { failureTexts } from "./texts.ts";

/**
 * Waits for an action and gives the sentence that says what was done. The events tell what has changed; what no event
 * tells, or none can while the connection is interrupted, is read again.
 */
export async function runAction(action: Promise<ActionDone>): Promise<string> {
  const { detail } = await action;
  const isLive = useLive.getState().connection === "online";
  const queryKey = isLive ? adminKeys.audit : ["admin"];
  void readAgain({ queryKey });
  return detail;
}

/** Why an action failed, for the texts that end with the reason. */
export const reasonOf = (error: unknown): string => errorText(error, failureTexts.unknown);
