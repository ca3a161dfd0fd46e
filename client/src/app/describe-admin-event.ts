import type { Notification } from "@shared/contract/events.ts";
import { formatUsd } from "../lib/format.ts";
import type { LiveEvent } from "../lib/realtime/events.ts";

const budgetTitles = { 80: "80% of the AI budget is spent", 100: "AI budget used up" } as const;

interface AdminText {
  title: string;
  description: string;
}

type AdminEvent = Extract<
  Notification,
  { name: "user:registered" | "proof:submitted" | "budget:reached" }
>;

export function describeAdminEvent(event: AdminEvent): AdminText;
export function describeAdminEvent(event: LiveEvent): AdminText | null;
export function describeAdminEvent(event: AdminEvent | LiveEvent): AdminText | null {
  switch (event.name) {
    case "user:registered":
      return { title: "New registration", description: event.data.username };
    case "proof:submitted": {
      const { username, sender_name } = event.data;
      return { title: "New payment proof", description: `${username}, sent by ${sender_name}` };
    }
    case "budget:reached": {
      const { percent, spent_usd, budget_usd } = event.data;
      const description = `${formatUsd(spent_usd)} of ${formatUsd(budget_usd)} today (UTC).`;
      return { title: budgetTitles[percent], description };
    }
    default:
      return null;
  }
}
