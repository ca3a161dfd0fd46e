import type { AppError } from "@shared/node/app-error.ts";
import { ADMINS_STREAM, type Change, commitChange } from "@shared/node/event-log.ts";
import type { UserRecord } from "@shared/node/models/user.ts";
import { Types } from "mongoose";
import { duplicateField } from "../database-errors.ts";
import { emailTaken, usernameTaken } from "../errors.ts";
import type { Credentials } from "../identity/identity-provider.ts";
import { presentUserCard } from "../presenters/present-user-card.ts";
import type { ServerDeps } from "../server-deps.ts";

export type AccountDeps = Pick<ServerDeps, "database" | "identity" | "now">;
export type Profile = Pick<UserRecord, "username" | "email" | "role" | "approved">;

/**
 * Makes a user together with his account at the identity provider and tells the admins: all of it or nothing.
 * `check` runs inside the transaction, before anything is written; what it throws calls the whole off.
 * @throws AppError auth/username-already-in-use, auth/email-already-in-use
 */
export async function createAccount(
  deps: AccountDeps,
  order: Profile & Credentials & { check?: (change: Change) => Promise<void> },
): Promise<UserRecord> {
  const { password, check, ...profile } = order;
  const account = await deps.identity.prepareAccount({ email: profile.email, password });
  try {
    return await commitChange(
      deps.database,
      { serializeOn: ADMINS_STREAM, now: deps.now },
      async (change) => {
        await check?.(change);
        const user = newUserRecord(profile, { identityId: account.identityId, at: change.at });
        await deps.database.users.insertOne(user, { session: change.session });
        await account.store(change.session);
        change.tell(ADMINS_STREAM, "user:registered", presentUserCard(user));
        return user;
      },
    );
  } catch (error) {
    await account.discard();
    throw takenError(error) ?? error;
  }
}

function newUserRecord(profile: Profile, account: { identityId: string; at: Date }): UserRecord {
  return {
    _id: new Types.ObjectId(),
    ...profile,
    usernameKey: profile.username.toLowerCase(),
    emailKey: profile.email.toLowerCase(),
    emailVerified: false,
    identityId: account.identityId,
    allowImageUpload: false,
    imageCredits: 0,
    sessionVersion: 0,
    keptSessionId: null,
    createdAt: account.at,
  };
}

function takenError(cause: unknown): AppError | undefined {
  const field = duplicateField(cause);
  if (field === "usernameKey") return usernameTaken(cause);
  if (field === "emailKey") return emailTaken(cause);
  return undefined;
}
