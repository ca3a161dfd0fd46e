import type { Role } from "@shared/contract/account.ts";
import type {
  ChangePasswordRequest,
  ForgotPasswordRequest,
  ResetPasswordRequest,
} from "@shared/contract/authentication.ts";
import { MIN_ADMIN_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from "@shared/contract/constants.ts";
import type { Database } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { disableOtherChannels } from "@shared/domain/channels.ts";
import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import type { RequestOrigin } from "@shared/outbox/security-log.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { dictionary } from "@zxcvbn-ts/language-common";
import { wrongPassword } from "../../http/errors.ts";
import { endSessions } from "../../http/session-ends.ts";
import { type AuthenticatedSession, type Device, rememberNetwork } from "../../http/sessions.ts";
import { addLogEntry } from "../admin/security-log.ts";
import { notifyOwner } from "./account-emails.ts";
import type { AccountDeps } from "./identity/identity-provider.ts";
import { checkOwnPassword } from "./own-password.ts";
import { markEmailVerified } from "./verify-email.ts";

/** The number that ASVS 5 (6.2.4) asks for. */
const COMMON_PASSWORDS = 3_000;

const MIN_LENGTH = {
  user: MIN_PASSWORD_LENGTH,
  admin: MIN_ADMIN_PASSWORD_LENGTH,
} as const satisfies Record<Role, number>;

const commonPasswords = (role: Role): ReadonlySet<string> =>
  new Set(
    dictionary["passwords-common"]
      .filter(({ length }) => length >= MIN_LENGTH[role])
      .slice(0, COMMON_PASSWORDS),
  );

const COMMON: Record<Role, ReadonlySet<string>> = {
  user: commonPasswords("user"),
  admin: commonPasswords("admin"),
};

const PRODUCT_WORDS = ["aitradingbot", "aitradingsignals", "tradingbot", "tradingsignals"];

/** Refuses a new password that is easy to guess. */
export function assertStrongPassword(
  field: "password" | "new_password",
  password: string,
  { role, username, email }: Pick<UserRecord, "role" | "username" | "email">,
): void {
  const refuse = (message: string) => {
    throw new AppError("invalid-input", message, { errors: [{ field, message }] });
  };
  if (password.length < MIN_LENGTH[role]) {
    refuse(`Administrators need a password of at least ${MIN_LENGTH[role]} characters.`);
  }
  const [localPart = ""] = email.split("@");
  const knownWords = [username, email, localPart, ...PRODUCT_WORDS].map(lettersAndDigits);
  if (knownWords.includes(lettersAndDigits(password))) {
    refuse("Do not use your name, your email address or the name of the product.");
  }
  if (COMMON[role].has(password.toLowerCase())) {
    refuse("This password is too common. Choose another one.");
  }
}

const lettersAndDigits = (text: string): string =>
  text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

/**
 * Emails a reset link if there is an account. The email is sent in the background, so that the response time does not
 * reveal whether the address is known.
 */
export async function forgotPassword(
  deps: AccountDeps,
  { email }: ForgotPasswordRequest,
  origin: RequestOrigin,
): Promise<void> {
  const user = await deps.database.users.findOne({ emailKey: email.toLowerCase() }).lean();
  if (user) {
    const entry = { type: "password:reset-requested", user: user.username, actor: null } as const;
    deps.background.run("logging a password reset", () => addLogEntry(deps, origin, entry));
  }
  deps.background.run("sending a password reset", () =>
    deps.identity.sendPasswordReset({ email: user?.email ?? email, user }),
  );
}

/**
 * Sets a new password and ends all sessions of the user. The address counts as verified, since the token was sent to it: what
 * was set up before may be of somebody else, who registered with it, and is removed.
 */
export async function resetPassword(
  deps: AccountDeps,
  { token, new_password: newPassword }: ResetPasswordRequest,
  { network, origin }: Device,
): Promise<void> {
  const check = async (owner: string | null) => {
    const user = owner && (await deps.database.users.findOne({ identityId: owner }).lean());
    if (user) assertStrongPassword("new_password", newPassword, user);
  };
  const reset = await deps.identity.prepareReset({ token, newPassword, check });
  const { identityId } = reset;
  const lockKeys = [`identity:${identityId}`, ADMINS_STREAM];
  const options = { lockKeys, now: deps.now, origin };
  const done = await commit(deps.database, options, async (uow) => {
    await reset.store(uow.session);
    if (identityId === null) return null;
    const claimed = await markEmailVerified(deps.database, uow, identityId);
    if (claimed) await removeFormerSetup(deps.database, uow, claimed);
    const user = await revokeSessions(deps.database, uow, identityId);
    // The user who resets it must be able to sign in afterwards, whatever is guessed elsewhere.
    if (user) await rememberNetwork(deps.database, uow, user, network);
    return user && ({ user, event: claimed ? "account-claimed" : "password-changed" } as const);
  });
  if (done) notifyOwner(deps, done.user, done.event);
}

/** What a person who registered with a foreign address could have left, besides sessions. */
async function removeFormerSetup(
  database: Database,
  uow: UnitOfWork,
  { _id, username, twoFactor }: UserRecord,
): Promise<void> {
  const { session } = uow;
  await database.users.updateOne(
    { _id },
    {
      $set: { twoFactor: null, pendingTwoFactor: null },
      $unset: { networks: 1, quietHours: 1, passesOnSince: 1, resultsEmail: 1 },
    },
    { session },
  );
  await database.channels.deleteMany({ userId: _id }, { session });
  await database.deliveries.deleteMany({ userId: _id }, { session });
  await database.dashboardTokens.deleteMany({ userId: _id }, { session });
  const details = { reason: "address-not-verified" };
  if (twoFactor) uow.log({ type: "two-factor:off", user: username, details });
}

/** Changes the password, ends all other sessions and the API keys of the user, and turns off their channels other than email. */
export async function changePassword(
  deps: AccountDeps,
  { user, sessionId, origin }: AuthenticatedSession,
  request: ChangePasswordRequest,
): Promise<void> {
  const { identityId, email } = user;
  const { current_password: currentPassword, new_password: newPassword } = request;
  assertStrongPassword("new_password", newPassword, user);
  const attempt = { identityId, email, currentPassword, newPassword };
  const prepared = await checkOwnPassword(deps, user, () => deps.identity.prepareChange(attempt));
  if (!prepared) throw wrongPassword();
  const lockKeys = [`identity:${identityId}`, userStream(user._id)];
  const options = { lockKeys, now: deps.now, origin };
  await commit(deps.database, options, async (uow) => {
    await prepared.store(uow.session);
    await revokeSessions(deps.database, uow, identityId, sessionId);
  });
  notifyOwner(deps, user, "password-changed");
}

/**
 * Ends a user's sessions and API keys on commit and closes their sockets, except those of `keepSessionId`. Turns off the
 * channels that another session may have added. Returns the changed user, or null if the user is deleted.
 */
export async function revokeSessions(
  database: Database,
  uow: UnitOfWork,
  identityId: string,
  keepSessionId?: string,
): Promise<UserRecord | null> {
  const user = await database.users
    .findOneAndUpdate(
      { identityId },
      {
        $inc: { sessionVersion: 1 },
        $pull: { sessions: { id: { $ne: keepSessionId ?? null } } },
        $unset: { wrongPasswords: 1, apiKeys: 1 },
      },
      { session: uow.session, returnDocument: "after" },
    )
    .lean();
  if (!user) return null;
  await disableOtherChannels(database, uow, user);
  const type = keepSessionId === undefined ? "password:reset" : "password:changed";
  uow.log({ type, user: user.username });
  endSessions(uow, {
    userId: user._id.toString(),
    reason: "password-changed",
    ...(keepSessionId !== undefined && { exceptSessionId: keepSessionId }),
  });
  return user;
}
