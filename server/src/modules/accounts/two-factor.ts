import { createHash, randomBytes } from "node:crypto";
import type { Me } from "@shared/contract/account.ts";
import type {
  DisableTwoFactorRequest,
  RecoveryCodes,
  TwoFactorSetup,
} from "@shared/contract/authentication.ts";
import type { Reauthentication } from "@shared/contract/reauthentication.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { readBrand } from "@shared/domain/branding.ts";
import type { RequestOrigin } from "@shared/outbox/security-log.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { SecretBox } from "@shared/runtime/secret-box.ts";
import { Secret, TOTP } from "otpauth";
import { renderSVG } from "uqr";
import { reauthenticationRequired, wrongPasswordOrCode } from "../../http/errors.ts";
import { createLimiter, takePoint } from "../../http/rate-limits.ts";
import type { AuthenticatedSession } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { updateAndLog } from "../admin/security-log.ts";
import { notifyOwner } from "./account-emails.ts";
import type { AccountDeps } from "./identity/identity-provider.ts";
import { checkOwnPassword } from "./own-password.ts";

/** RFC 4226 recommends 160 bits. */
const SECRET_BYTES = 20;
/** A code is valid for its time step, the one before and the one after (RFC 6238, 5.2). */
const PERIOD_SECONDS = 30;
const WINDOW_STEPS = 1;
/** More than the steps whose codes are valid at once. */
const KEPT_STEPS = 10;

const RECOVERY_CODES = 10;
/** 112 bits are enough for an unsalted fast hash (ASVS 6.5.2). */
const RECOVERY_CODE_BYTES = 14;

const WRONG_CODES = { name: "two-factor-code", points: 10, durationSeconds: 15 * 60 };

export const presentTwoFactor = ({
  twoFactor,
}: Pick<UserRecord, "twoFactor">): Me["two_factor"] => ({
  enabled: twoFactor !== null,
  recovery_codes_left: twoFactor?.recoveryHashes.length ?? 0,
});

/** Creates a secret, which replaces an earlier one that was not confirmed. */
export async function startTwoFactor(
  deps: AccountDeps,
  session: AuthenticatedSession,
  credentials: Reauthentication,
): Promise<TwoFactorSetup> {
  const { _id, username, twoFactor } = session.user;
  if (twoFactor) throw alreadyOn();
  await reauthenticateUnlessRecent(deps, session, credentials);
  const secret = new Secret({ size: SECRET_BYTES });
  const { matchedCount } = await deps.database.users.updateOne(
    { _id, twoFactor: null },
    { $set: { pendingTwoFactor: boxOf(deps).seal(secret.base32) } },
  );
  if (matchedCount === 0) throw alreadyOn();
  const { name: issuer } = await readBrand(deps.database);
  const otpauthUrl = totpOf(secret.base32, { issuer, label: username }).toString();
  return { secret: secret.base32, otpauth_url: otpauthUrl, qr_svg: renderSVG(otpauthUrl) };
}

/** Turns the second factor on. */
export async function confirmTwoFactor(
  deps: ServerDeps,
  { user, origin }: AuthenticatedSession,
  code: string,
): Promise<RecoveryCodes> {
  const { _id, twoFactor, pendingTwoFactor } = user;
  if (twoFactor) throw alreadyOn();
  const secret = pendingTwoFactor && boxOf(deps).open(pendingTwoFactor);
  const step = await limitAttempts(deps, user, null, async () =>
    secret ? stepOf(deps, secret, code) : null,
  );
  if (!pendingTwoFactor || step === null) throw new AppError("invalid-code", "This code is wrong.");
  const recoveryCodes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  const enabled = {
    secret: pendingTwoFactor,
    usedSteps: [step],
    recoveryHashes: recoveryCodes.map(hashOf),
  };
  const filter = { _id, twoFactor: null, pendingTwoFactor };
  const update = { $set: { twoFactor: enabled, pendingTwoFactor: null } };
  const entry = { type: "two-factor:on", user: user.username } as const;
  const model = deps.database.users;
  if (!(await updateAndLog(deps, origin, { model, filter, update }, entry))) throw alreadyOn();
  notifyOwner(deps, user, "two-factor-on");
  return { recovery_codes: recoveryCodes };
}

export async function disableTwoFactor(
  deps: AccountDeps,
  session: AuthenticatedSession,
  credentials: DisableTwoFactorRequest,
): Promise<void> {
  const { user, origin } = session;
  if (!user.twoFactor) throw new AppError("not-found", "The second factor is off.");
  await reauthenticate(deps, session, credentials);
  const change = { filter: { _id: user._id }, update: { $set: { twoFactor: null } } };
  const entry = { type: "two-factor:off", user: user.username } as const;
  await updateAndLog(deps, origin, { model: deps.database.users, ...change }, entry);
  notifyOwner(deps, user, "two-factor-off");
}

/** Checks the caller's own password, and the code if the second factor is on. @throws AppError wrong-password, rate-limited */
export async function reauthenticate(
  deps: AccountDeps,
  { user, origin }: AuthenticatedSession,
  { password, code = "" }: Reauthentication,
): Promise<void> {
  if (!password || (user.twoFactor && !code)) throw reauthenticationRequired();
  const { identityId, email } = user;
  const isRight = await checkOwnPassword(deps, user, async () => {
    const account = await deps.identity.verifyPassword({ identityId, email, password });
    if (!account) return null;
    return !user.twoFactor || (await consumeCode(deps, user, code, { origin })) ? true : null;
  });
  if (!isRight) throw wrongPasswordOrCode();
}

const RECENT_SIGN_IN_MS = 10 * 60_000;

/** Like `reauthenticate`, unless the session has just signed in. */
export async function reauthenticateUnlessRecent(
  deps: AccountDeps,
  session: AuthenticatedSession,
  credentials: Reauthentication,
): Promise<void> {
  const ageMs = deps.now().getTime() - session.startedAt.getTime();
  if (ageMs > RECENT_SIGN_IN_MS) await reauthenticate(deps, session, credentials);
}

export interface CodeSource {
  origin: RequestOrigin | undefined;
  /**
   * Of a sign-in, if it is the user's own: only wrong codes from there delay it, so that guesses from elsewhere do not lock
   * the owner out.
   */
  network?: string | null;
}

/**
 * Uses a code of the authenticator app or a recovery code. Of several attempts with one code, one succeeds.
 * @returns whether the code was valid
 */
export function consumeCode(
  deps: ServerDeps,
  user: Pick<UserRecord, "_id" | "username" | "twoFactor">,
  code: string,
  { origin, network = null }: CodeSource,
): Promise<boolean> {
  return limitAttempts(deps, user, network, async () =>
    (await consumeAppCode(deps, user, code)) ||
    (await consumeRecoveryCode(deps, user, code, origin))
      ? true
      : null,
  ).then((isValid) => isValid === true);
}

async function consumeAppCode(
  deps: ServerDeps,
  { _id, twoFactor }: Pick<UserRecord, "_id" | "twoFactor">,
  code: string,
): Promise<boolean> {
  const secret = twoFactor && boxOf(deps).open(twoFactor.secret);
  const step = secret ? stepOf(deps, secret, code) : null;
  if (step === null) return false;
  const { matchedCount } = await deps.database.users.updateOne(
    { _id, "twoFactor.usedSteps": { $ne: step }, "twoFactor.secret": twoFactor?.secret },
    { $push: { "twoFactor.usedSteps": { $each: [step], $slice: -KEPT_STEPS } } },
  );
  return matchedCount > 0;
}

async function consumeRecoveryCode(
  deps: ServerDeps,
  { _id, username }: Pick<UserRecord, "_id" | "username">,
  code: string,
  origin: RequestOrigin | undefined,
): Promise<boolean> {
  const hash = hashOf(code);
  const filter = { _id, "twoFactor.recoveryHashes": hash };
  const update = { $pull: { "twoFactor.recoveryHashes": hash } };
  const entry = { type: "recovery-code:used", user: username } as const;
  return updateAndLog(deps, origin, { model: deps.database.users, filter, update }, entry);
}

function stepOf({ now }: ServerDeps, secret: string, token: string): number | null {
  // The library compares bytes, and fails if six characters are more than six bytes.
  if (!/^\d{6}$/.test(token)) return null;
  const timestamp = now().getTime();
  const totp = totpOf(secret);
  const delta = totp.validate({ token, timestamp, window: WINDOW_STEPS });
  return delta === null ? null : totp.counter({ timestamp }) + delta;
}

const totpOf = (secret: string, shown: { issuer: string; label: string } | null = null): TOTP =>
  new TOTP({ ...shown, period: PERIOD_SECONDS, secret: Secret.fromBase32(secret) });

const boxOf = ({ settings }: ServerDeps): SecretBox =>
  new SecretBox({ secret: settings.JWT_SECRET, purpose: "second factors" });

/** Wrong codes of an account, over all its sessions and servers. A valid code gives its attempt back. */
async function limitAttempts<Result>(
  deps: ServerDeps,
  user: Pick<UserRecord, "_id">,
  network: string | null,
  attempt: () => Promise<Result | null>,
): Promise<Result | null> {
  if (deps.settings.RATE_LIMIT === "off") return attempt();
  const limiter = createLimiter(deps.database, { ...WRONG_CODES, givesBack: true });
  const account = user._id.toString();
  const own = network === null ? account : `${account}:${network}`;
  await takePoint(limiter, own);
  if (own !== account) await limiter.penalty(account);
  const result = await attempt();
  if (result !== null)
    await Promise.all([...new Set([own, account])].map((key) => limiter.reward(key)));
  return result;
}

/** Lower-case hex in groups, such as `1f2e-3d4c-5b6a-7988`. */
const newRecoveryCode = (): string =>
  randomBytes(RECOVERY_CODE_BYTES)
    .toString("hex")
    .replace(/(.{7})(?!$)/g, "$1-");

const hashOf = (code: string): string =>
  createHash("sha256")
    .update(code.toLowerCase().replace(/[^0-9a-f]/g, ""))
    .digest("hex");

const alreadyOn = (): AppError =>
  new AppError("two-factor-enabled", "The second factor is on already.");
