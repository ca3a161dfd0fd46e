import type { AppError } from "@shared/node/app-error.ts";
import type { UserRecord } from "@shared/node/models/user.ts";
import { presentUserCard } from "@shared/node/present-user-card.ts";
import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import { Types } from "mongoose";
import { duplicateField, isDatabaseUnavailable } from "../database-errors.ts";
import { emailTaken, usernameTaken } from "../errors.ts";
import type { Credentials, PreparedAccount } from "../identity/identity-provider.ts";
import type { ServerDeps } from "../server-deps.ts";
import { whileHoldingAddress } from "./hold-address.ts";

export type AccountDeps = Pick<ServerDeps, "database" | "identity" | "background" | "now">;
export type Profile = Pick<UserRecord, "username" | "email" | "role" | "approved">;

interface AccountOrder {
  profile: Profile;
  password: string;
  /** Whether the owner is asked by mail to confirm his address; if not, whoever makes the account vouches for it. */
  asksToVerifyEmail: boolean;
  check?: (uow: UnitOfWork) => Promise<void>;
}

/**
 * Makes a user together with his account at the identity provider and tells the admins: all of it or nothing.
 * `check` runs inside the transaction, before anything is written; what it throws calls the whole off.
 * @throws AppError auth/username-already-in-use, auth/email-already-in-use; unavailable if the mail cannot be sent
 */
export function createAccount(
  deps: AccountDeps,
  order: Profile & Credentials & Omit<AccountOrder, "profile">,
): Promise<UserRecord> {
  const { password, asksToVerifyEmail, check, ...profile } = order;
  return whileHoldingAddress(deps, profile.email, async () => {
    await assertFree(deps, profile);
    return makeAccount(deps, { profile, password, asksToVerifyEmail, check });
  });
}

/** Refuses what is taken before anything is done that would have to be undone, and before a mail is sent. */
async function assertFree({ database }: AccountDeps, { username, email }: Profile): Promise<void> {
  const usernameKey = username.toLowerCase();
  const emailKey = email.toLowerCase();
  if (await database.users.exists({ usernameKey })) throw usernameTaken();
  if (await database.users.exists({ emailKey })) throw emailTaken();
}

async function makeAccount(deps: AccountDeps, order: AccountOrder): Promise<UserRecord> {
  const { profile, password, asksToVerifyEmail, check } = order;
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
      uow.addEvent(ADMINS_STREAM, "user:registered", presentUserCard(user));
      return user;
    });
  } catch (error) {
    await takeBack(deps, account, error);
    throw takenError(error) ?? error;
  }
}

/**
 * A database that went away may have committed all the same. Then the account is taken back once it says that it has
 * not, which nobody has to wait for.
 */
async function takeBack(
  { database, background }: AccountDeps,
  account: PreparedAccount,
  failure: unknown,
): Promise<void> {
  if (!isDatabaseUnavailable(failure)) return account.discard();
  background.run("taking back an account", async () => {
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
    sessionVersion: 0,
    keptSessionId: null,
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
