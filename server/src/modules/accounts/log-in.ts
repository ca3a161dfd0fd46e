import type { Session } from "@shared/contract/account.ts";
import type { LoginRequest } from "@shared/contract/account-requests.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { commit } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { type Device, startSession } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";
import type { VerifiedAccount } from "./identity/identity-provider.ts";
import { revokeSessions } from "./passwords.ts";
import { notifyOfNewDevice } from "./security-notices.ts";
import type { StartSignIn } from "./sign-in-limits.ts";
import { consumeCode } from "./two-factor.ts";
import { markEmailVerified } from "./verify-email.ts";

export type LoginDeps = Pick<
  ServerDeps,
  "background" | "database" | "identity" | "mailer" | "settings" | "now" | "origin"
> & { startSignIn: StartSignIn };

/**
 * Verifies a username or email address and a password, and starts a session. Unknown names take as long and get the same
 * error as wrong passwords. @throws AppError invalid-credentials, two-factor-required, rate-limited
 */
export async function logIn(
  deps: LoginDeps,
  request: LoginRequest,
  device: Device,
): Promise<Session> {
  const { username, password } = request;
  const user = await findByName(deps, username);
  const attempt = await deps.startSignIn(username, { user, network: device.network });
  if (!user) {
    await deps.identity.verifyNothing(password);
    throw invalidCredentials();
  }
  const { identityId, email } = user;
  const account = await deps.identity.verifyPassword({ identityId, email, password });
  if (!account) throw invalidCredentials();
  await checkCode(deps, user, request.code);
  await followProvider(deps, user, account);
  const current = await deps.database.users.findById(user._id).lean();
  if (!current) throw invalidCredentials();
  const token = await startSession(deps, user, device);
  // Sessions were ended meanwhile, so the verified password may be the old one.
  if (!token) return logIn(deps, request, device);
  await attempt.succeed();
  notifyOfNewDevice(deps, user, device);
  return presentSession(current, token);
}

async function checkCode(
  deps: LoginDeps,
  user: UserRecord,
  code: string | undefined,
): Promise<void> {
  if (!user.twoFactor) return;
  if (code === undefined) {
    const detail = "Enter the code of your authenticator app.";
    throw new AppError("two-factor-required", detail);
  }
  if (!(await consumeCode(deps, user, code))) throw invalidCredentials("invalid-code");
}

export const presentSession = (
  { approved, role, username }: Pick<UserRecord, "approved" | "role" | "username">,
  token: string,
): Session => ({ token, approved, role, username });

export function findByName({ database }: Pick<ServerDeps, "database">, name: string) {
  const key = name.trim().toLowerCase();
  return database.users
    .findOne(key.includes("@") ? { emailKey: key } : { usernameKey: key })
    .lean();
}

/**
 * Applies changes that were made at the identity provider: a verified address, and a changed password, which ends the
 * sessions started with the old one.
 */
async function followProvider(
  deps: LoginDeps,
  user: UserRecord,
  account: VerifiedAccount,
): Promise<void> {
  const { identityId } = user;
  const emailConfirmed = account.emailConfirmed && !user.emailVerified;
  if (!emailConfirmed && !account.passwordChanged) return;
  const options = { lockKeys: ADMINS_STREAM, now: deps.now, origin: deps.origin };
  await commit(deps.database, options, async (uow) => {
    if (emailConfirmed) await markEmailVerified(deps, uow, identityId);
    if (account.passwordChanged && (await account.acknowledge(uow.session))) {
      await revokeSessions(deps, uow, { identityId });
    }
  });
}

/** @param reason for the security log; the response does not contain it */
function invalidCredentials(reason = "invalid-password"): AppError {
  return new AppError("invalid-credentials", "Wrong username or password.", { cause: reason });
}
