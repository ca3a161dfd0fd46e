import type { AuditEntry } from "@shared/contract/admin.ts";
import { Card, Skeleton } from "../../ui/card.tsx";
import { NextPage } from "../../ui/load-error.tsx";
import { LocalTime } from "../../ui/local-time.tsx";
import { AdminSection } from "./admin-section.tsx";
import { useAudit } from "./api.ts";

export function AuditSection() {
  const query = useAudit();
  return (
    <AdminSection id="audit" lead="Admin actions in the last year, newest first.">
      {query.data?.length === 0 && <p className="text-ink-muted">No activity yet.</p>}
      {query.data && query.data.length > 0 && <Entries entries={query.data} />}
      <NextPage
        query={query}
        failed="Failed to load the audit trail."
        showsReason
        skeleton={<Skeleton className="h-64 rounded-card" />}
      >
        Load more
      </NextPage>
    </AdminSection>
  );
}

function Entries({ entries }: { entries: AuditEntry[] }) {
  return (
    <Card>
      <ol className="divide-y divide-line">
        {entries.map((entry) => (
          <li
            key={entry.id}
            className="flex flex-col gap-x-6 gap-y-0.5 px-4 py-3 text-sm sm:flex-row sm:items-baseline sm:px-5"
          >
            <p className="figures shrink-0 text-ink-faint sm:order-last sm:ml-auto">
              <LocalTime iso={entry.at} atEnd />
            </p>
            <p className="min-w-0 break-words text-ink-muted">
              <span className="font-medium text-ink">{entry.actor}</span> {auditSentence(entry)}
            </p>
          </li>
        ))}
      </ol>
    </Card>
  );
}

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

/** Describes an audit entry, to be read after the actor's name. An unknown action is shown as it is. */
export function auditSentence({ action, subject, details }: AuditEntry): string {
  const who = subject ?? "a user";
  const change = accountChanges[String(details.reason)];
  const describe = action === "account:updated" ? change : actions[action];
  return describe ? describe(who, details) : `${action} ${subject ?? ""}`.trim();
}
