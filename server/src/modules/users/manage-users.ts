import type { RoleChange } from "@shared/contract/admin.ts";
import { usernameSchema } from "@shared/contract/authentication.ts";
import { MESSAGES } from "@shared/contract/constants.ts";
import type { AccountReason } from "@shared/contract/events/event-data.ts";
import type { Database } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { changeCredits } from "@shared/domain/credits.ts";
import { addAccountUpdatedEvents } from "@shared/domain/user-card.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import type { NewSecurityLogEntry } from "@shared/outbox/security-log.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import type { ClientSession, Types } from "mongoose";
import { idempotencyConflict, userNotFound } from "../../http/errors.ts";
import { endSessions } from "../../http/session-ends.ts";
import type { AuthenticatedSession } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { notifyOwner } from "../accounts/account-emails.ts";
import type { AccountDeps } from "../accounts/identity/identity-provider.ts";
import { reauthenticate } from "../accounts/two-factor.ts";
import { findUseOfKey, recordUseOfKey } from "../admin/idempotency.ts";
import { commitAsAdmin } from "../admin/security-log.ts";

/** Allows or forbids a user to upload images. Who is blocked during a subscription stays so when it is renewed. */
export function setImageAccess(
  deps: ServerDeps,
  admin: AuthenticatedSession,
  username: string,
  allow: boolean,
): Promise<UserRecord> {
  const { database } = deps;
  const change = { fields: { allowImageUpload: allow }, reason: "image-access" } as const;
  return commitOnUser(deps, admin, username, async (uow, user) => {
    const isImageUploadBlocked = !allow && hasRunningSubscription(user);
    await database.users.updateOne(
      { _id: user._id },
      { $set: { isImageUploadBlocked } },
      { session: uow.session },
    );
    return (await changeAccount(database, uow, user, change)) ?? user;
  });
}

const hasRunningSubscription = ({ subscription }: UserRecord): boolean =>
  subscription !== undefined && subscription.status !== "ended";

type AccountSwitch =
  | Pick<UserRecord, "approved" | "subscription">
  | Pick<UserRecord, "allowImageUpload">;

const switchEntry = (fields: AccountSwitch): Omit<NewSecurityLogEntry, "user"> =>
  "approved" in fields
    ? { type: "approval:changed", details: { approved: fields.approved } }
    : { type: "image-access:changed", details: { allowed: fields.allowImageUpload } };

/** @returns the changed user; null, without an event, if the permission already has the value */
export async function changeAccount(
  database: Database,
  uow: UnitOfWork,
  user: UserRecord,
  { fields, reason }: { fields: AccountSwitch; reason: AccountReason },
): Promise<UserRecord | null> {
  const changed = await database.users
    .findOneAndUpdate(
      { _id: user._id, $nor: [fields] },
      { $set: fields },
      { session: uow.session, returnDocument: "after" },
    )
    .lean();
  if (!changed) return null;
  await addAccountUpdatedEvents(database, uow, { user: changed, reason });
  uow.log({ ...switchEntry(fields), user: user.username });
  return changed;
}

/** Adds credits to a user's balance, or removes them down to zero. */
export function grantCredits(
  deps: ServerDeps,
  admin: AuthenticatedSession,
  username: string,
  { credits, idempotencyKey }: { credits: number; idempotencyKey?: string | undefined },
): Promise<Pick<UserRecord, "username" | "imageCredits">> {
  const by = admin.user;
  return commitOnUser(deps, admin, username, async (uow, user) => {
    const { database } = deps;
    if (!idempotencyKey) return applyGrant(database, uow, user, { by: by.username, credits });
    const key = { action: "grant", admin: by, user, idempotencyKey } as const;
    const request = String(credits);
    const earlier = await findUseOfKey(database, uow, key);
    if (earlier && earlier.request !== request) throw idempotencyConflict();
    if (earlier) return { username: user.username, imageCredits: earlier.imageCredits ?? 0 };
    const after = await applyGrant(database, uow, user, { by: by.username, credits });
    await recordUseOfKey(database, uow, { ...key, request, imageCredits: after.imageCredits });
    return after;
  });
}

async function applyGrant(
  database: Database,
  uow: UnitOfWork,
  user: UserRecord,
  { by, credits }: { by: string; credits: number },
): Promise<UserRecord> {
  if (!Number.isSafeInteger(user.imageCredits + credits)) throw invalidNumber();
  const after = await changeCredits(database, uow, {
    userId: user._id,
    kind: "grant",
    amount: credits,
    by,
    why: credits < 0 ? "Removed by an administrator." : "Granted by an administrator.",
  });
  const added = (after?.imageCredits ?? 0) - user.imageCredits;
  const details = { credits: added, image_credits: user.imageCredits + added };
  if (after && added !== 0) uow.log({ type: "credits:granted", user: user.username, details });
  return after ?? user;
}

function invalidNumber(): AppError {
  const message = MESSAGES.invalidNumber;
  return new AppError("invalid-input", message, { errors: [{ field: "credits", message }] });
}

/** Commits an administrator's action on a user, who is read in the transaction. */
export async function commitOnUser<Result>(
  deps: ServerDeps,
  admin: AuthenticatedSession,
  username: string,
  apply: (uow: UnitOfWork, user: UserRecord) => Promise<Result>,
): Promise<Result> {
  const { _id } = await findUserByName(deps.database, username);
  const lockKeys = [ADMINS_STREAM, userStream(_id)];
  return commitAsAdmin(deps, admin, lockKeys, async (uow) => {
    const user = await deps.database.users.findById(_id).session(uow.session).lean();
    if (!user) throw userNotFound();
    return apply(uow, user);
  });
}

export async function findUserByName(database: Database, username: unknown): Promise<UserRecord> {
  const name = usernameSchema.safeParse(username);
  const user = name.success
    ? await database.users.findOne({ usernameKey: name.data.toLowerCase() }).lean()
    : null;
  if (!user) throw userNotFound();
  return user;
}

/**
 * Sets a user's role, which ends all of their sessions and API keys, even if they have that role. There is always an administrator:
 * transactions that write to the admins' stream conflict, so two who demote each other at once cannot both succeed.
 */
export async function setRole(
  deps: AccountDeps,
  admin: AuthenticatedSession,
  { username, role, ...credentials }: RoleChange & { username: string },
): Promise<{ user: UserRecord; isChanged: boolean }> {
  const { database } = deps;
  const { _id } = await findUserByName(database, username);
  await reauthenticate(deps, admin, credentials);
  const lockKeys = [ADMINS_STREAM, userStream(_id)];
  const result = await commitAsAdmin(deps, admin, lockKeys, async (uow) => {
    if (role === "user") await assertOtherAdmin(database, _id, uow.session);
    const ended = { sessions: [], apiKeys: [] };
    const update = { $set: { role, ...ended }, $inc: { sessionVersion: 1 } };
    const user = await database.users
      .findOneAndUpdate({ _id }, update, { session: uow.session })
      .lean();
    if (!user) throw userNotFound();
    const isChanged = user.role !== role;
    const reason = isChanged ? "role-changed" : "revoked-session";
    endSessions(uow, { userId: _id.toString(), reason });
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

export async function assertOtherAdmin(
  database: Database,
  userId: Types.ObjectId,
  session?: ClientSession,
): Promise<void> {
  const others = database.users.exists({ role: "admin", _id: { $ne: userId } });
  if (await others.session(session ?? null)) return;
  throw new AppError("last-admin", "There must be at least one administrator.");
}
