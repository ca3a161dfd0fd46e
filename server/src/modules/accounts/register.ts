import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { RegisterRequest } from "@shared/contract/account-requests.ts";
import type { RegistrationLockRecord } from "@shared/database/models/identity.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { presentUserCard } from "@shared/domain/user-card.ts";
import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import type { AppError } from "@shared/runtime/app-error.ts";
import { withKeys } from "@shared/runtime/keyed-mutex.ts";
import { Types } from "mongoose";
import { duplicateField, isDatabaseUnavailable } from "../../http/database-errors.ts";
import { emailTaken, unavailable, usernameTaken } from "../../http/errors.ts";
import type { ServerDeps } from "../../server-deps.ts";
import type { PreparedAccount } from "./identity/identity-provider.ts";

/**
 * Creates a user, who needs approval, and emails a verification link.
 * @throws AppError auth/username-already-in-use, auth/email-already-in-use, unavailable if the email cannot be sent
 */
export function registerUser(deps: AccountDeps, request: RegisterRequest): Promise<UserRecord> {
  return createAccount(deps, {
    ...request,
    role: "user",
    approved: false,
    asksToVerifyEmail: true,
  });
}

export type AccountDeps = Pick<ServerDeps, "database" | "identity" | "background" | "now">;
type Profile = Pick<UserRecord, "username" | "email" | "role" | "approved">;

interface NewAccount extends Profile {
  password: string;
  /** If false, the address counts as verified. */
  asksToVerifyEmail: boolean;
  check?: (uow: UnitOfWork) => Promise<void>;
}

/**
 * Creates a user with an account at the identity provider. `check` runs first in the transaction and aborts it by throwing.
 * @throws AppError auth/username-already-in-use, auth/email-already-in-use, unavailable if the email cannot be sent
 */
export function createAccount(deps: AccountDeps, account: NewAccount): Promise<UserRecord> {
  return withRegistrationLock(deps, account.email, async () => {
    await assertFree(deps, account);
    return storeAccount(deps, account);
  });
}

/** Checks before an email is sent and anything has to be undone. */
async function assertFree({ database }: AccountDeps, { username, email }: Profile): Promise<void> {
  const usernameKey = username.toLowerCase();
  const emailKey = email.toLowerCase();
  if (await database.users.exists({ usernameKey })) throw usernameTaken();
  if (await database.users.exists({ emailKey })) throw emailTaken();
}

async function storeAccount(deps: AccountDeps, input: NewAccount): Promise<UserRecord> {
  const { password, asksToVerifyEmail, check, ...profile } = input;
  const account = await deps.identity.prepareAccount({ email: profile.email, password });
  const options = { lockKeys: ADMINS_STREAM, now: deps.now };
  try {
    if (asksToVerifyEmail) await account.sendVerification(profile.username);
    return await commit(deps.database, options, async (uow) => {
      await check?.(uow);
      const { identityId } = account;
      const emailVerified = !asksToVerifyEmail;
      const user = newUserRecord(profile, { identityId, emailVerified, createdAt: uow.at });
      await deps.database.users.insertOne(user, { session: uow.session });
      await account.store(uow.session);
      uow.log({ type: "user:registered", user: user.username, details: { role: user.role } });
      uow.addEvent(ADMINS_STREAM, "user:registered", presentUserCard(user));
      return user;
    });
  } catch (error) {
    await undoAccount(deps, account, error);
    throw takenError(error) ?? error;
  }
}

/** After a lost connection the commit may have succeeded, so the database is checked in the background first. */
async function undoAccount(
  { database, background }: AccountDeps,
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
  return {
    _id: new Types.ObjectId(),
    ...profile,
    usernameKey: profile.username.toLowerCase(),
    emailKey: profile.email.toLowerCase(),
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

type LockDeps = Pick<ServerDeps, "database" | "background" | "now">;

/**
 * Allows one registration per address at a time on all servers, so that each address gets one email and one account.
 * @throws AppError unavailable if another registration takes too long
 */
function withRegistrationLock<Result>(
  deps: LockDeps,
  email: string,
  register: () => Promise<Result>,
): Promise<Result> {
  const key = email.toLowerCase();
  return withKeys(deps.database.registrationLocks, [key], async () => {
    const holder = randomUUID();
    await acquireLock(deps, { key, holder });
    try {
      return await register();
    } finally {
      deps.background.run("releasing a registration lock", () =>
        deps.database.registrationLocks.deleteOne({ _id: key, holder }),
      );
    }
  });
}

async function acquireLock(deps: LockDeps, hold: { key: string; holder: string }): Promise<void> {
  const giveUpAt = performance.now() + LOCK_TIMEOUT_MS;
  while (!(await tryAcquireLock(deps, hold))) {
    if (performance.now() > giveUpAt) throw unavailable();
    await delay(LOCK_RETRY_INTERVAL_MS);
  }
}

/** An active lock makes the upsert fail on the unique id. */
async function tryAcquireLock(
  { database, now }: LockDeps,
  { key, holder }: { key: string; holder: string },
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
