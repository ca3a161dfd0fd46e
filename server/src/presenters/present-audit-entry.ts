import type { AuditEntry } from "@shared/contract/admin.ts";
import type { AuditEntryRecord } from "@shared/node/models/audit-entry.ts";

/** What an administrator did, as the audit trail lists it. */
export function presentAuditEntry(entry: AuditEntryRecord): AuditEntry {
  return {
    id: entry._id.toString(),
    actor: entry.actor,
    action: entry.action,
    subject: entry.subject,
    details: entry.details,
    at: entry.at.toISOString(),
  };
}
