import type { AuditEntry } from "@shared/contract/admin.ts";

type Details = AuditEntry["details"];

const count = (number: unknown, thing: string): string =>
  `${number ?? "some"} ${thing}${number === 1 ? "" : "s"}`;

const accountChanges: Record<string, (who: string, details: Details) => string> = {
  approved: (who) => `approved ${who}`,
  revoked: (who) => `revoked the approval of ${who}`,
  "image-access": (who, { allow_image_upload }) =>
    `${allow_image_upload ? "allowed" : "blocked"} image upload for ${who}`,
  "credits-granted": grantSentence,
};

function grantSentence(who: string, { credits, image_credits }: Details): string {
  const balance = `now ${image_credits ?? 0}`;
  if (typeof credits !== "number") return `changed the image credits of ${who}, ${balance}`;
  if (credits < 0) return `took ${count(-credits, "credit")} from ${who}, ${balance}`;
  return `granted ${count(credits, "credit")} to ${who}, ${balance}`;
}

const jobActions: Record<string, string> = {
  requeue: "queued again",
  retry: "tried again",
  delete: "deleted",
  pause: "paused",
  resume: "resumed",
};

const actions: Record<string, (who: string, details: Details) => string> = {
  "proof:deleted": (who) => `deleted the payment proof of ${who}`,
  "history:cleared": (who, { signals }) => `deleted ${count(signals, "signal")} of ${who}`,
  "user:deleted": (who) => `deleted the user ${who}`,
  "chart-image:deleted": (who) => `deleted a chart image of ${who}`,
  "payment-details:updated": () => "changed the payment details",
  "queue:changed": (_, { action, jobs, names }) =>
    `${jobActions[String(action)] ?? "changed"} ${count(jobs, "job")} of the queue: ${names}`,
};

/** What was done, to be read after the name of who did it; an unknown action goes by its own name. */
export function auditSentence({ action, subject, details }: AuditEntry): string {
  const who = subject ?? "a user";
  const change = accountChanges[String(details.reason)];
  const tell = action === "account:updated" ? change : actions[action];
  return tell ? tell(who, details) : `${action} ${subject ?? ""}`.trim();
}
