import type { AuditPage } from "@shared/contract/admin.ts";
import type { PageQuery } from "@shared/contract/pagination.ts";
import type { Database } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import { unauthenticated } from "../../http/errors.ts";
import { beforeCursor, takePage } from "../../http/pagination.ts";
import type { ServerDeps } from "../../server-deps.ts";

export type AdminDeps = Pick<ServerDeps, "database" | "now">;

export type Admin = Pick<UserRecord, "_id" | "username">;

/** An action of an administrator on one user. The name may be any text. */
export interface UserActionInput {
  admin: Admin;
  username: unknown;
}

/**
 * Commits an administrator's action with an audit entry. Checks the role in the transaction, so that two administrators
 * who delete each other at once cannot both succeed. @throws AppError unauthenticated
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

/** One page of the actions of administrators, newest first. */
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
  return {
    entries: page.map(({ _id, actor, action, subject, details, at }) => ({
      ...{ id: _id.toString(), actor, action, subject, details },
      at: at.toISOString(),
    })),
    next_cursor: next,
  };
}
