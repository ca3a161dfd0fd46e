import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { RegisterRequest, VerifyEmailRequest } from "@shared/contract/authentication.ts";
import type { Database } from "@shared/database/database.ts";
import type { RegistrationLockRecord } from "@shared/database/models/identity.ts";
import { searchKeyOf, type UserRecord } from "@shared/database/models/user.ts";
import { presentUserCard } from "@shared/domain/user-card.ts";
import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import type { RequestOrigin } from "@shared/outbox/security-log.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { withKeys } from "@shared/runtime/keyed-mutex.ts";
import { SettingsError } from "@shared/runtime/settings.ts";
import { type ClientSession, Types } from "mongoose";
import { duplicateField, isDatabaseUnavailable } from "../../http/database-errors.ts";
import {
  accountInUse,
  emailTaken,
  invalidToken,
  unavailable,
  usernameTaken,
} from "../../http/errors.ts";
import { endSessions } from "../../http/session-ends.ts";
import type { ServerDeps } from "../../server-deps.ts";
import type { AccountDeps, PreparedAccount } from "./identity/identity-provider.ts";
import { assertStrongPassword } from "./passwords.ts";

/** Creates a user, who needs approval, and emails a verification link. */
export async function registerUser(
  deps: AccountDeps,
  request: RegisterRequest,
  origin: RequestOrigin,
): Promise<UserRecord> {
  const account = { ...request, role: "user", approved: false, asksToVerifyEmail: true } as const;
  assertStrongPassword("password", request.password, account);
  return createAccount(deps, account, origin);
}

type Profile = Pick<UserRecord, "username" | "email" | "role" | "approved">;

interface NewAccount extends Profile {
  password: string;
  /** If false, the address counts as verified. */
  asksToVerifyEmail: boolean;
  check?: (uow: UnitOfWork) => Promise<void>;
}

/**
 * Creates a user with an account at the identity provider. `check` runs first in the transaction and aborts it by throwing.
 */
export function createAccount(
  deps: AccountDeps,
  account: NewAccount,
  origin?: RequestOrigin,
): Promise<UserRecord> {
  return withRegistrationLock(deps, account.email, async () => {
    const unusedClaim = await assertFree(deps, account);
    return storeAccount(deps, account, unusedClaim, origin);
  });
}

/** An account that is neither verified nor used for this time, as long as its link works, gives its address back. */
const UNUSED_CLAIM_MS = 24 * 3_600_000;

/** Nothing has happened with these accounts: no approval, no proof of payment, no signal. */
const UNUSED = { role: "user", emailVerified: false, lastEventSeq: 0 } as const;

/**
 * Checks before an email is sent and anything has to be undone.
 * @returns the account whose address is free again, if any: otherwise, people could not register after someone else had
 *   registered with their address
 */
async function assertFree(
  { database, now }: ServerDeps,
  { username, email }: Profile,
): Promise<UserRecord | null> {
  const usernameKey = username.toLowerCase();
  const emailKey = email.toLowerCase();
  const createdAt = { $lt: new Date(now().getTime() - UNUSED_CLAIM_MS) };
  const unused = await database.users.findOne({ emailKey, ...UNUSED, createdAt }).lean();
  const others = { _id: { $ne: unused?._id ?? null } };
  if (await database.users.exists({ usernameKey, ...others })) throw usernameTaken();
  if (await database.users.exists({ emailKey, ...others })) throw emailTaken();
  return unused;
}

/** @returns whether it was deleted; an account that was verified or used meanwhile stays */
async function deleteUnused(
  { database, identity }: Pick<AccountDeps, "database" | "identity">,
  uow: UnitOfWork,
  { _id, identityId, username }: UserRecord,
  reason: "address-not-verified" | "declined",
): Promise<boolean> {
  const { session } = uow;
  const { deletedCount } = await database.users.deleteOne({ _id, ...UNUSED }, { session });
  if (deletedCount === 0) return false;
  await identity.deleteAccount({ identityId, session });
  await database.channels.deleteMany({ userId: _id }, { session });
  await database.deliveries.deleteMany({ userId: _id }, { session });
  endSessions(uow, { userId: _id.toString(), reason: "deleted" });
  uow.log({ type: "user:deleted", user: username, details: { reason } });
  uow.addEvent(ADMINS_STREAM, "user:deleted", { username });
  return true;
}

/** Deletes an account that somebody else registered with the address of the person who got the email. */
export async function declineRegistration(
  deps: AccountDeps,
  { token }: VerifyEmailRequest,
  origin: RequestOrigin,
): Promise<void> {
  const { database, identity, now } = deps;
  const identityId = await identity.findInvited(token);
  await commit(database, { lockKeys: ADMINS_STREAM, now, origin }, async (uow) => {
    const user = await database.users.findOne({ identityId }).session(uow.session).lean();
    if (!user) throw invalidToken();
    if (!(await deleteUnused(deps, uow, user, "declined"))) throw accountInUse();
  });
}

async function storeAccount(
  deps: AccountDeps,
  { password, asksToVerifyEmail, check, ...profile }: NewAccount,
  unusedClaim: UserRecord | null,
  origin: RequestOrigin | undefined,
): Promise<UserRecord> {
  const account = await deps.identity.prepareAccount({ email: profile.email, password });
  const options = { lockKeys: ADMINS_STREAM, now: deps.now, origin };
  try {
    if (asksToVerifyEmail) await account.sendVerification(profile.username);
    return await commit(deps.database, options, async (uow) => {
      await check?.(uow);
      const isFree =
        !unusedClaim || (await deleteUnused(deps, uow, unusedClaim, "address-not-verified"));
      if (!isFree) throw emailTaken();
      const { identityId } = account;
      const emailVerified = !asksToVerifyEmail;
      const user = newUserRecord(profile, { identityId, emailVerified, createdAt: uow.at });
      await deps.database.users.insertOne(user, { session: uow.session });
      await account.store(uow.session);
      uow.log({ type: "user:registered", user: user.username, details: { role: user.role } });
      uow.addEvent(ADMINS_STREAM, "user:registered", presentUserCard(user, uow.at));
      return user;
    });
  } catch (error) {
    await undoAccount(deps, account, error);
    throw takenError(error) ?? error;
  }
}

/** After a lost connection the commit may have succeeded, so the database is checked in the background first. */
async function undoAccount(
  { database, background }: ServerDeps,
  account: PreparedAccount,
  failure: unknown,
): Promise<void> {
  if (!isDatabaseUnavailable(failure)) return account.discard();
  background.run("undoing an account", async () => {
    const user = await database.users.exists({ identityId: account.identityId });
    if (!user) await account.discard();
  });
}

function newUserRecord(
  profile: Profile,
  account: Pick<UserRecord, "identityId" | "emailVerified" | "createdAt">,
): UserRecord {
  const usernameKey = profile.username.toLowerCase();
  const emailKey = profile.email.toLowerCase();
  return {
    _id: new Types.ObjectId(),
    ...profile,
    usernameKey,
    emailKey,
    searchKey: searchKeyOf({ usernameKey, emailKey }),
    ...account,
    allowImageUpload: false,
    imageCredits: 0,
    sessions: [],
    sessionVersion: 0,
    twoFactor: null,
    pendingTwoFactor: null,
    lastEventSeq: 0,
    unfinishedSignals: 0,
  };
}

function takenError(cause: unknown): AppError | undefined {
  const field = duplicateField(cause);
  if (field === "usernameKey") return usernameTaken(cause);
  if (field === "emailKey" || field === "identityId") return emailTaken(cause);
  return undefined;
}

/** Lock timeout. Longer than any registration, so it only expires after a crash. */
const LOCK_LEASE_MS = 60_000;
const LOCK_TIMEOUT_MS = 8_000;
const LOCK_RETRY_INTERVAL_MS = 50;

/** Allows one registration per address at a time on all servers, so that each address gets one email and one account. */
function withRegistrationLock<Result>(
  deps: ServerDeps,
  email: string,
  register: () => Promise<Result>,
): Promise<Result> {
  const key = email.toLowerCase();
  return withKeys(deps.database.registrationLocks, [key], async () => {
    const holder = randomUUID();
    await acquireLock(deps, key, holder);
    try {
      return await register();
    } finally {
      deps.background.run("releasing a registration lock", () =>
        deps.database.registrationLocks.deleteOne({ _id: key, holder }),
      );
    }
  });
}

async function acquireLock(deps: ServerDeps, key: string, holder: string): Promise<void> {
  const giveUpAt = performance.now() + LOCK_TIMEOUT_MS;
  while (!(await tryAcquireLock(deps, key, holder))) {
    if (performance.now() > giveUpAt) throw unavailable();
    await delay(LOCK_RETRY_INTERVAL_MS);
  }
}

/** An active lock makes the upsert fail on the unique id. */
async function tryAcquireLock(
  { database, now }: ServerDeps,
  key: string,
  holder: string,
): Promise<boolean> {
  const at = now();
  const until = new Date(at.getTime() + LOCK_LEASE_MS);
  const expired = { _id: key, until: { $lt: at } };
  const written: Pick<RegistrationLockRecord, "holder" | "until"> = { holder, until };
  try {
    await database.registrationLocks.updateOne(expired, { $set: written }, { upsert: true });
    return true;
  } catch (error) {
    if (duplicateField(error) === "_id") return false;
    throw error;
  }
}

class AdminExistsError extends Error {
  override readonly name = "AdminExistsError";
}

/**
 * Creates the administrator named in the settings, unless there is one. Of several servers that start at once, one
 * creates it, because the admins' stream serializes their transactions.
 * @throws SettingsError if the name or the address belongs to another user
 */
export async function ensureFirstAdmin(deps: AccountDeps): Promise<boolean> {
  const { database, settings } = deps;
  if (await hasAdmin(database)) return false;
  try {
    await createAccount(deps, {
      username: settings.ADMIN_USERNAME,
      email: settings.ADMIN_EMAIL,
      password: settings.ADMIN_PASSWORD,
      role: "admin",
      approved: true,
      asksToVerifyEmail: false,
      check: async ({ session }) => {
        if (await hasAdmin(database, session)) throw new AdminExistsError();
      },
    });
    return true;
  } catch (error) {
    if (error instanceof AdminExistsError || (await hasAdmin(database))) return false;
    throw settingsError(error) ?? error;
  }
}

async function hasAdmin(database: Database, session?: ClientSession): Promise<boolean> {
  const admin = await database.users.exists({ role: "admin" }).session(session ?? null);
  return admin !== null;
}

function settingsError(error: unknown): SettingsError | undefined {
  if (!(error instanceof AppError)) return undefined;
  const { code, serviceCode } = error;
  if (serviceCode === "EMAIL_EXISTS") {
    return new SettingsError(
      "ADMIN_PASSWORD: is not the password of ADMIN_EMAIL's account at Firebase",
    );
  }
  if (code === "auth/username-already-in-use") {
    return new SettingsError("ADMIN_USERNAME: is the name of a user who is no administrator");
  }
  if (code === "auth/email-already-in-use") {
    return new SettingsError("ADMIN_EMAIL: is the address of a user who is no administrator");
  }
  return undefined;
}
