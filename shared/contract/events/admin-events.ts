import type { EventText, Wording } from "./event-entry.ts";

const USERS = { path: "/admin/users", button: "Open the users" } as const;

interface Budget {
  percent?: number | undefined;
  spent_usd?: number | undefined;
  budget_usd?: number | undefined;
}

export const ADMIN_EVENTS = {
  "proof:submitted": {
    audience: "admins",
    isNotified: true,
    isToasted: () => true,
    describe: ({
      username = "",
      sender_name: sender,
    }: {
      username?: string;
      sender_name?: string;
    }): EventText => ({
      title: "New payment proof",
      text: sender === undefined ? username : `${username}, sent by ${sender}`,
      ...USERS,
      button: "Review the proof",
    }),
    channel: {
      event: "proof.submitted",
      isDefault: true,
      when: "A user sends a payment proof",
      plural: "Payment proofs",
    },
  },
  "user:registered": {
    audience: "admins",
    isNotified: true,
    isToasted: () => true,
    describe: ({ username = "" }: { username?: string }): EventText => ({
      title: "New registration",
      text: username,
      ...USERS,
    }),
    channel: {
      event: "user.registered",
      isDefault: true,
      when: "A user registers",
      plural: "Registrations",
    },
  },
  "budget:reached": {
    audience: "admins",
    isNotified: true,
    isToasted: () => true,
    describe: (
      { percent, spent_usd: spent, budget_usd: budget }: Budget,
      { usd }: Wording,
    ): EventText => ({
      title: percent === 100 ? "AI budget used up" : `${percent ?? 80}% of the AI budget is spent`,
      text:
        spent === undefined || budget === undefined
          ? ""
          : `${usd(spent)} of ${usd(budget)} today (UTC).`,
      path: "/admin/system",
      button: "Open the system page",
    }),
    channel: {
      event: "budget.reached",
      isDefault: true,
      when: "The AI budget is nearly or fully spent",
      plural: "AI budget alerts",
    },
  },
  "user:updated": { audience: "admins" },
  "user:deleted": { audience: "admins" },
  "chart-image:added": { audience: "admins" },
  "chart-image:deleted": { audience: "admins" },
  "payment-details:updated": { audience: "admins" },
  "queue:changed": { audience: "admins" },
} as const;
