import type { UserRecord } from "@shared/database/models/user.ts";
import { rateLimited } from "../../http/errors.ts";
import { createLimiter, hashOf, takePoint } from "../../http/rate-limits.ts";
import type { ServerDeps } from "../../server-deps.ts";

/** Failed sign-ins with one name, within an hour, before the next one has to wait. */
const FREE_FAILURES = 10;
const FAILURES_KEPT_SECONDS = 3_600;
const MAX_DELAY_SECONDS = 300;

interface SignInAttempt {
  succeed(): Promise<void>;
}

/** Starts an attempt to sign in with a name. @throws AppError rate-limited */
export type StartSignIn = (
  name: string,
  from: { user: Pick<UserRecord, "sessions"> | null; network: string },
) => Promise<SignInAttempt>;

/**
 * Counts each attempt to sign in before the password is checked, so that simultaneous guesses cannot slip through. Each
 * failure after the tenth doubles the delay until the next attempt, wherever it comes from. Networks in which the account
 * was used before have a count of their own: guesses from elsewhere do not lock the owner out.
 */
export function createSignInLimits({
  database,
  settings,
}: Pick<ServerDeps, "database" | "settings">): StartSignIn {
  if (settings.RATE_LIMIT === "off") {
    return () => Promise.resolve({ succeed: () => Promise.resolve() });
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
  return async (name, { user, network }) => {
    const isKnown = user?.sessions.some((session) => session.network === network) ?? false;
    const key = hashOf([name.trim().toLowerCase(), ...(isKnown ? [network] : [])]);
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
      async succeed() {
        await failures.delete(key);
        await delays.delete(key);
      },
    };
  };
}
