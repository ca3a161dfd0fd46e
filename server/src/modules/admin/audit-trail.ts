import type { AuditEntry, AuditPage } from "@shared/contract/admin.ts";
import type { PageQuery } from "@shared/contract/pagination.ts";
import type { Database } from "@shared/database/database.ts";
import type { AuditEntryRecord } from "@shared/database/models/event.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import { unauthenticated } from "../../http/errors.ts";
import { beforeCursor, takePage } from "../../http/pagination.ts";
import type { ServerDeps } from "../../server-deps.ts";

export type AdminDeps = Pick<ServerDeps, "database" | "now">;

/** The administrator who acts. */
export type Admin = Pick<UserRecord, "_id" | "username">;

/** What an administrator does to one user; the name may come straight from the address. */
export interface UserActionInput {
  admin: Admin;
  username: unknown;
}

/**
 * Commits a change as the doing of an administrator, so that it stands in the audit trail. He is looked up once more in
 * the transaction: of two administrators who delete each other at the same moment, one stays.
 * @param options.lockKeys the streams in which it will tell something
 * @throws AppError unauthenticated if he is an administrator no longer
 */
export function commitAsAdmin<Result>(
  { database, now }: AdminDeps,
  options: { admin: Admin; lockKeys: string | readonly string[] },
  apply: (uow: UnitOfWork) => Promise<Result>,
): Promise<Result> {
  const { admin, lockKeys } = options;
  return commit(database, { lockKeys, actor: admin.username, now }, async (uow) => {
    const { _id } = admin;
    const admins = database.users.exists({ _id, role: "admin" });
    if (!(await admins.session(uow.session))) throw unauthenticated();
    return apply(uow);
  });
}

/** One page of what administrators have done in the last year, newest first. */
export async function listAudit(
  { database }: { database: Pick<Database, "auditEntries"> },
  { limit, cursor }: PageQuery,
): Promise<AuditPage> {
  const found = await database.auditEntries
    .find(beforeCursor("at", cursor))
    .sort({ at: -1, _id: -1 })
    .limit(limit + 1)
    .lean();
  const { page, next } = takePage(found, limit, (entry) => entry.at);
  return { entries: page.map(presentAuditEntry), next_cursor: next };
}

/** What an administrator did, as the audit trail lists it. */
function presentAuditEntry(entry: AuditEntryRecord): AuditEntry {
  return {
    id: entry._id.toString(),
    actor: entry.actor,
    action: entry.action,
    subject: entry.subject,
    details: entry.details,
    at: entry.at.toISOString(),
  };
}
