import { formatUsd } from "../lib/format.ts";
import type { LiveEvent } from "../lib/realtime/events.ts";
import { adminAlertMessages as texts } from "./messages.ts";

/** Returns the notification of an event that administrators should see, null for any other. */
export function describeAdminEvent(
  event: LiveEvent,
): { title: string; description: string } | null {
  switch (event.name) {
    case "user:registered":
      return { title: texts.registered, description: event.data.username };
    case "proof:submitted": {
      const { username, sender_name } = event.data;
      return { title: texts.proof, description: texts.proofBy(username, sender_name) };
    }
    case "budget:reached": {
      const { percent, spent_usd, budget_usd } = event.data;
      const description = texts.spent(formatUsd(spent_usd), formatUsd(budget_usd));
      return { title: texts.budget[percent], description };
    }
    default:
      return null;
  }
}
