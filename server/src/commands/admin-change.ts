import type { UserRecord } from "@shared/node/models/user.ts";
import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import { unauthenticated } from "../errors.ts";
import type { ServerDeps } from "../server-deps.ts";

export type AdminDeps = Pick<ServerDeps, "database" | "now">;

/** The administrator who acts. */
export type Admin = Pick<UserRecord, "_id" | "username">;

/** What an administrator does to one user; the name may come straight from the address. */
export interface UserOrder {
  admin: Admin;
  username: unknown;
}

/**
 * Commits a change as the doing of an administrator, so that it stands in the audit trail. He is looked up once more in
 * the transaction: of two administrators who delete each other at the same moment, one stays.
 * @param options.lockKeys the streams in which it will tell something
 * @throws AppError unauthenticated if he is an administrator no longer
 */
export function commitAdminChange<Result>(
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
