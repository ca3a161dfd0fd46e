import type { AuditPage } from "@shared/contract/admin.ts";
import { AUDIT_PAGE } from "@shared/contract/constants.ts";
import type { Database } from "@shared/node/database.ts";
import type { z } from "zod";
import { presentAuditEntry } from "../presenters/present-audit-entry.ts";
import { cutPage, olderThan, pageQuerySchema } from "./time-pages.ts";

/** Query of `GET /admin/audit`. */
export const auditQuerySchema = pageQuerySchema(AUDIT_PAGE);
export type AuditQuery = z.infer<typeof auditQuerySchema>;

/** One page of what administrators have done in the last year, newest first. */
export async function listAudit(
  { database }: { database: Pick<Database, "auditEntries"> },
  { limit, cursor }: AuditQuery,
): Promise<AuditPage> {
  const found = await database.auditEntries
    .find(olderThan("at", cursor))
    .sort({ at: -1, _id: -1 })
    .limit(limit + 1)
    .lean();
  const { page, next } = cutPage(found, limit, (entry) => entry.at);
  return { entries: page.map(presentAuditEntry), next_cursor: next };
}
