import type { Session } from "@shared/contract/account.ts";
import type { LoginRequest } from "@shared/contract/authentication.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { hasAccess } from "@shared/domain/access.ts";
import { commit } from "@shared/outbox/commit.ts";
import type { RequestOrigin } from "@shared/outbox/security-log.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { rateLimited } from "../../http/errors.ts";
import { createLimiter, hashOf, takePoint } from "../../http/rate-limits.ts";
import { type Device, knownNetworks, startSession } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { notifyOfNewDevice } from "./account-emails.ts";
import type { AccountDeps, VerifiedAccount } from "./identity/identity-provider.ts";
import { revokeSessions } from "./passwords.ts";
import { type CodeSource, consumeCode } from "./two-factor.ts";
import { markEmailVerified } from "./verify-email.ts";

/** Failed sign-ins with one name, within an hour, before the next one has to wait. */
const FREE_FAILURES = 10;
const FAILURES_KEPT_SECONDS = 3_600;
const MAX_DELAY_SECONDS = 300;

interface SignInAttempt {
  /** Whether the user has signed in from this network before. */
  isKnown: boolean;
  succeed(): Promise<void>;
}

/** Starts an attempt to sign in with a name. */
type StartSignIn = (
  name: string,
  user: UserRecord | null,
  network: string,
) => Promise<SignInAttempt>;

/**
 * Counts each attempt to sign in before the password is checked, so that simultaneous guesses cannot slip through. Each
 * failure after the tenth doubles the delay until the next attempt, wherever it comes from. Networks from which the user has
 * signed in have a count of their own: guesses from elsewhere do not lock the owner out.
 */
export function createSignInLimits({ database, settings, now }: ServerDeps): StartSignIn {
  if (settings.RATE_LIMIT === "off") {
    return () => Promise.resolve({ isKnown: false, succeed: () => Promise.resolve() });
  }
  const failures = createLimiter(database, {
    name: "sign-in-failures",
    points: FREE_FAILURES,
    durationSeconds: FAILURES_KEPT_SECONDS,
    givesBack: true,
  });
  const delays = createLimiter(database, {
    name: "sign-in-delay",
    points: 1,
    durationSeconds: MAX_DELAY_SECONDS,
    givesBack: true,
  });
  return async (name, user, network) => {
    // Sessions of an earlier version have left no networks.
    const known = user ? [...user.sessions, ...knownNetworks(user, now())] : [];
    const isKnown = known.some((one) => one.network === network);
    const key = hashOf([name.toLowerCase(), ...(isKnown ? [network] : [])]);
    const delayed = await delays.get(key);
    if (delayed && delayed.msBeforeNext > 0) {
      throw rateLimited(Math.ceil(delayed.msBeforeNext / 1_000));
    }
    const { consumedPoints } = await failures.penalty(key);
    if (consumedPoints > FREE_FAILURES) {
      const delaySeconds = Math.min(2 ** (consumedPoints - FREE_FAILURES), MAX_DELAY_SECONDS);
      // Of those that arrive before the delay starts, one may pass.
      await takePoint(delays, key, delaySeconds).catch(async (error: unknown) => {
        await failures.reward(key);
        throw error;
      });
    }
    return {
      isKnown,
      async succeed() {
        await failures.delete(key);
        await delays.delete(key);
      },
    };
  };
}

interface LoginDeps extends AccountDeps {
  startSignIn: StartSignIn;
}

/**
 * Verifies a username or email address and a password, and starts a session. Unknown names take as long and get the same error
 * as wrong passwords.
 */
export async function logIn(
  deps: LoginDeps,
  request: LoginRequest,
  device: Device,
): Promise<Session> {
  const { username, password } = request;
  const user = await findByName(deps, username);
  const attempt = await deps.startSignIn(username, user, device.network);
  if (!user) {
    await deps.identity.verifyNothing(password);
    throw invalidCredentials();
  }
  const { identityId, email } = user;
  const account = await deps.identity.verifyPassword({ identityId, email, password });
  if (!account) throw invalidCredentials();
  const network = attempt.isKnown ? device.network : null;
  await checkCode(deps, user, request.code, { origin: device.origin, network });
  await followProvider(deps, user, account, device.origin);
  const current = await deps.database.users.findById(user._id).lean();
  if (!current) throw invalidCredentials();
  const token = await startSession(deps, user, device);
  // Sessions were ended meanwhile, so the verified password may be the old one.
  if (!token) return logIn(deps, request, device);
  await attempt.succeed();
  notifyOfNewDevice(deps, user, device);
  return presentSession({ ...current, approved: hasAccess(current, deps.now()) }, token);
}

async function checkCode(
  deps: LoginDeps,
  user: UserRecord,
  code: string | undefined,
  from: CodeSource,
): Promise<void> {
  if (!user.twoFactor) return;
  if (code === undefined) {
    const detail = "Enter the code of your authenticator app.";
    throw new AppError("two-factor-required", detail);
  }
  if (!(await consumeCode(deps, user, code, from))) throw invalidCredentials("invalid-code");
}

export const presentSession = (
  { approved, role, username }: Pick<UserRecord, "approved" | "role" | "username">,
  token: string,
): Session => ({ token, approved, role, username });

export function findByName({ database }: ServerDeps, name: string) {
  const key = name.toLowerCase();
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
  origin: RequestOrigin,
): Promise<void> {
  const { identityId } = user;
  const emailConfirmed = account.emailConfirmed && !user.emailVerified;
  if (!emailConfirmed && !account.passwordChanged) return;
  const options = { lockKeys: ADMINS_STREAM, now: deps.now, origin };
  await commit(deps.database, options, async (uow) => {
    if (emailConfirmed) await markEmailVerified(deps.database, uow, identityId);
    if (account.passwordChanged && (await account.acknowledge(uow.session))) {
      await revokeSessions(deps.database, uow, identityId);
    }
  });
}

/** @param reason for the security log; the response does not contain it */
function invalidCredentials(reason = "invalid-password"): AppError {
  return new AppError("invalid-credentials", "Wrong username or password.", { cause: reason });
}
