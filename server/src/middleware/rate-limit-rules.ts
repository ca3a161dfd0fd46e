import { z } from "zod";
import { type AppContext, type AppMiddleware, sessionOf } from "../app-context.ts";
import { clientNetwork } from "../client-network.ts";
import type { ServerDeps } from "../server-deps.ts";
import { type RateLimitRule, type RequestOutcome, rateLimit } from "./rate-limit.ts";

const MINUTE = 60;
const HOUR = 3_600;

/** Where a request comes from, by its socket; by X-Forwarded-For only as far as trusted proxies have written it. */
const address = (ctx: AppContext): string => clientNetwork(ctx.ip);
const user = (ctx: AppContext): string => sessionOf(ctx).user._id.toString();
const wrongPassword = (outcome: RequestOutcome): boolean =>
  outcome === "invalid-credentials" || outcome === "wrong-password";
const wellFormed = (outcome: RequestOutcome): boolean => outcome !== "invalid-input";

/** A text of the body as names and addresses are compared; empty where there is none. */
function bodyKey(ctx: AppContext, field: string): string {
  const body = z.record(z.string(), z.unknown()).safeParse(ctx.request.body);
  const value = body.success ? body.data[field] : undefined;
  return typeof value === "string" ? value.trim().toLowerCase() : "";
}

/** How often each thing may be done. */
const RATE_LIMITS = {
  /**
   * Guessing is slow: ten wrong passwords for one name. Counted with the address, so that nobody can lock another
   * user out; and by the address alone, against one password tried on many names.
   */
  login: [
    {
      name: "login-name",
      points: 10,
      durationSeconds: MINUTE,
      key: (ctx) => [bodyKey(ctx, "username"), address(ctx)],
      counts: wrongPassword,
    },
    {
      name: "login-address",
      points: 100,
      durationSeconds: MINUTE,
      key: address,
      counts: wrongPassword,
    },
  ],
  /** Enough for a class room behind one address; too little to fill the database or to send mail in bulk. */
  register: [
    { name: "register", points: 100, durationSeconds: HOUR, key: address, counts: wellFormed },
  ],
  /** Nobody's mailbox is flooded, and one address does not search for accounts. */
  forgotPassword: [
    {
      name: "forgot-email",
      points: 5,
      durationSeconds: HOUR,
      key: (ctx) => bodyKey(ctx, "email"),
      counts: wellFormed,
    },
    { name: "forgot-address", points: 50, durationSeconds: HOUR, key: address, counts: wellFormed },
  ],
  /** No link can be guessed in a lifetime; this keeps trying from costing anything, since a reset hashes a password. */
  useMailToken: [
    {
      name: "mail-token",
      points: 60,
      durationSeconds: MINUTE,
      key: address,
      counts: (outcome) => outcome === "invalid-token",
    },
  ],
  /** As many mails as a forgotten password may send. */
  resendVerification: [{ name: "resend", points: 5, durationSeconds: HOUR, key: user }],
  /** A token that fell into other hands does not serve to guess the password. */
  changePassword: [
    {
      name: "change-password",
      points: 10,
      durationSeconds: MINUTE,
      key: user,
      counts: wrongPassword,
    },
  ],
  /** Each proof is an image to decode and to keep; nobody pays more often than this. */
  submitProof: [
    { name: "proof", points: 10, durationSeconds: HOUR, key: user, counts: wellFormed },
  ],
  /** One a second all the time: out of reach by hand, while a script cannot take all workers for itself. */
  getSignal: [{ name: "signal", points: 60, durationSeconds: MINUTE, key: user }],
  /** Enough to read the whole ledger page by page; each page is a few look-ups. */
  readLedger: [{ name: "ledger", points: 120, durationSeconds: MINUTE, key: address }],
  /** Each download reads all there is; who wants the newest records only asks for a page. */
  downloadLedger: [{ name: "ledger-download", points: 20, durationSeconds: MINUTE, key: address }],
} as const satisfies Record<string, readonly RateLimitRule[]>;

/** What is limited. */
export type LimitedAction = keyof typeof RATE_LIMITS;

/** The limits of one action, for its route; those by user stand after `requireUser`. */
export function rateLimits(
  deps: Pick<ServerDeps, "database" | "settings">,
  action: LimitedAction,
): AppMiddleware[] {
  return RATE_LIMITS[action].map((rule) => rateLimit(deps, rule));
}
