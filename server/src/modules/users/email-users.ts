import type { UsersEmail } from "@shared/contract/admin.ts";
import { addMessageEmail } from "@shared/domain/message-email.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import { userNotFound } from "../../http/errors.ts";
import type { AuthenticatedSession } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { commitAsAdmin } from "../admin/security-log.ts";

/** Adds an email to each of the users, which workers send. @returns their number */
export async function emailUsers(
  deps: ServerDeps,
  admin: AuthenticatedSession,
  { usernames, subject, text }: UsersEmail,
): Promise<number> {
  const { database } = deps;
  const keys = usernames.map((username) => username.trim().toLowerCase());
  const users = await database.users
    .find({ usernameKey: { $in: keys } })
    .select({ _id: 1 })
    .lean();
  if (users.length === 0) throw userNotFound();
  await commitAsAdmin(deps, admin, ADMINS_STREAM, async (uow) => {
    uow.log({ type: "users:emailed", user: null, details: { users: users.length, subject } });
    for (const { _id } of users) addMessageEmail(database, uow, { userId: _id, subject, text });
  });
  return users.length;
}
