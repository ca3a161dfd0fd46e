import { usernameSchema } from "@shared/contract/account-requests.ts";
import type { UserList } from "@shared/contract/admin.ts";
import type { AccountReason } from "@shared/contract/events.ts";
import { MESSAGES } from "@shared/contract/messages.ts";
import type { Database } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { changeCredits } from "@shared/domain/credits.ts";
import {
  addAccountUpdatedEvents,
  findProofsOf,
  presentUserCard,
} from "@shared/domain/user-card.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import type { NewSecurityLogEntry } from "@shared/outbox/security-log.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { assertNotOwnAccount } from "../../http/access.ts";
import { userNotFound } from "../../http/errors.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { type AdminDeps, commitAsAdmin, type UserActionInput } from "../admin/security-log.ts";
import { createSignPath, withSignedProof } from "../files/signed-url.ts";

/** The fields of a user card. Reading whole users is slow for 50,000 of them. */
const CARD_FIELDS = {
  ...{ username: 1, email: 1, emailVerified: 1, role: 1, approved: 1 },
  ...{ allowImageUpload: 1, imageCredits: 1, createdAt: 1 },
} as const;

export async function listUsers(
  deps: Pick<ServerDeps, "database" | "settings" | "now">,
  admin: Pick<UserRecord, "_id">,
): Promise<UserList> {
  const { database } = deps;
  const users = await database.users
    .find()
    .select(CARD_FIELDS)
    .sort({ createdAt: -1, _id: -1 })
    .lean();
  const ids = users.map((user) => user._id);
  const proofs = await findProofsOf(database, ids);
  const signPath = createSignPath(deps, admin);
  const cards = users.map((user) => presentUserCard(user, proofs.get(user._id.toString())));
  return {
    users: cards.map((card) => ({
      ...card,
      payment_proof: card.payment_proof && withSignedProof(card.payment_proof, signPath),
    })),
  };
}

export function approveUser(deps: AdminDeps, input: UserActionInput): Promise<UserRecord> {
  return updateAccount(deps, { ...input, fields: { approved: true }, reason: "approved" });
}

export async function revokeUser(deps: AdminDeps, input: UserActionInput): Promise<UserRecord> {
  assertNotOwnAccount(input.admin, await findUserByName(deps.database, input.username));
  return updateAccount(deps, { ...input, fields: { approved: false }, reason: "revoked" });
}

export function setImageAccess(
  deps: AdminDeps,
  input: UserActionInput & { allow: boolean },
): Promise<UserRecord> {
  const { allow, ...whose } = input;
  return updateAccount(deps, {
    ...whose,
    fields: { allowImageUpload: allow },
    reason: "image-access",
  });
}

type AccountSwitch = Pick<UserRecord, "approved"> | Pick<UserRecord, "allowImageUpload">;

const switchEntry = (fields: AccountSwitch): Omit<NewSecurityLogEntry, "user"> =>
  "approved" in fields
    ? { type: "approval:changed", details: { approved: fields.approved } }
    : { type: "image-access:changed", details: { allowed: fields.allowImageUpload } };

/** Changes a permission. There is no event if it already has the value. @throws AppError not-found */
function updateAccount(
  deps: AdminDeps,
  input: UserActionInput & { fields: AccountSwitch; reason: AccountReason },
): Promise<UserRecord> {
  const { fields, reason } = input;
  const { database } = deps;
  return commitOnUser(deps, input, async (uow, user) => {
    const changed = await database.users
      .findOneAndUpdate(
        { _id: user._id, $nor: [fields] },
        { $set: fields },
        { session: uow.session, returnDocument: "after" },
      )
      .lean();
    if (changed) await addAccountUpdatedEvents(database, uow, { user: changed, reason });
    if (changed) uow.log({ ...switchEntry(fields), user: user.username });
    return changed ?? user;
  });
}

/**
 * Adds credits to a user's balance, or removes them down to zero.
 * @throws AppError not-found, or invalid-input if the balance would exceed the safe integers
 */
export function grantCredits(
  deps: AdminDeps,
  input: UserActionInput & { credits: number },
): Promise<UserRecord> {
  const { admin, credits } = input;
  return commitOnUser(deps, input, async (uow, user) => {
    if (!Number.isSafeInteger(user.imageCredits + credits)) throw invalidNumber();
    const after = await changeCredits(deps.database, uow, {
      userId: user._id,
      kind: "grant",
      amount: credits,
      by: admin.username,
      why: credits < 0 ? "Removed by an administrator." : "Granted by an administrator.",
    });
    const added = (after?.imageCredits ?? 0) - user.imageCredits;
    const details = { credits: added, image_credits: user.imageCredits + added };
    if (after && added !== 0) uow.log({ type: "credits:granted", user: user.username, details });
    return after ?? user;
  });
}

function invalidNumber(): AppError {
  const message = MESSAGES.invalidNumber;
  return new AppError("invalid-input", message, { errors: [{ field: "credits", message }] });
}

/** Commits an administrator's action on a user, who is read in the transaction. @throws AppError not-found */
export async function commitOnUser<Result>(
  deps: AdminDeps,
  { admin, username }: UserActionInput,
  apply: (uow: UnitOfWork, user: UserRecord) => Promise<Result>,
): Promise<Result> {
  const { _id } = await findUserByName(deps.database, username);
  const lockKeys = [ADMINS_STREAM, userStream(_id)];
  return commitAsAdmin(deps, { admin, lockKeys }, async (uow) => {
    const user = await deps.database.users.findById(_id).session(uow.session).lean();
    if (!user) throw userNotFound();
    return apply(uow, user);
  });
}

/** Finds a user by case-insensitive name. @throws AppError not-found */
export async function findUserByName(
  database: Pick<Database, "users">,
  username: unknown,
): Promise<UserRecord> {
  const name = usernameSchema.safeParse(username);
  const user = name.success
    ? await database.users.findOne({ usernameKey: name.data.toLowerCase() }).lean()
    : null;
  if (!user) throw userNotFound();
  return user;
}
