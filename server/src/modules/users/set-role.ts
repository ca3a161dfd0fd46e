import type { RoleChange } from "@shared/contract/admin.ts";
import type { Database } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { addAccountUpdatedEvents } from "@shared/domain/user-card.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import type { ClientSession, Types } from "mongoose";
import { userNotFound } from "../../http/errors.ts";
import type { AuthenticatedSession } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { notifyOwner } from "../accounts/security-notices.ts";
import { reauthenticate } from "../accounts/two-factor.ts";
import { commitAsAdmin } from "../admin/security-log.ts";
import { findUserByName } from "./manage-users.ts";

/**
 * Sets a user's role, which ends all of their sessions, even if they have that role. There is always an administrator:
 * transactions that write to the admins' stream conflict, so two who demote each other at once cannot both succeed.
 * @throws AppError not-found, last-admin, reauthentication-required, wrong-password
 */
export async function setRole(
  deps: Pick<
    ServerDeps,
    "background" | "database" | "identity" | "mailer" | "settings" | "now" | "origin"
  >,
  session: Pick<AuthenticatedSession, "user">,
  { username, role, ...credentials }: RoleChange & { username: string },
): Promise<{ user: UserRecord; isChanged: boolean }> {
  const { database } = deps;
  const { _id } = await findUserByName(database, username);
  await reauthenticate(deps, session, credentials);
  const options = { admin: session.user, lockKeys: [ADMINS_STREAM, userStream(_id)] };
  const result = await commitAsAdmin(deps, options, async (uow) => {
    if (role === "user") await assertOtherAdmin(database, _id, uow.session);
    const update = { $set: { role, sessions: [] }, $inc: { sessionVersion: 1 } };
    const user = await database.users
      .findOneAndUpdate({ _id }, update, { session: uow.session })
      .lean();
    if (!user) throw userNotFound();
    const isChanged = user.role !== role;
    const reason = isChanged ? "role-changed" : "revoked-session";
    uow.endSessions({ userId: _id.toString(), reason });
    if (reason === "role-changed") {
      uow.log({ type: "role:changed", user: user.username, details: { role } });
      await addAccountUpdatedEvents(database, uow, { user: { ...user, role }, reason });
    } else {
      uow.log({ type: "session:ended", user: user.username, details: { reason } });
    }
    return { user, isChanged };
  });
  if (result.isChanged)
    notifyOwner(deps, result.user, role === "admin" ? "made-admin" : "made-user");
  return result;
}

/** @throws AppError last-admin if there is no administrator but this user */
export async function assertOtherAdmin(
  database: Database,
  userId: Types.ObjectId,
  session?: ClientSession,
): Promise<void> {
  const others = database.users.exists({ role: "admin", _id: { $ne: userId } });
  if (await others.session(session ?? null)) return;
  throw new AppError("last-admin", "There must be at least one administrator.");
}
