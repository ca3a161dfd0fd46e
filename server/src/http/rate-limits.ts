import { createHash } from "node:crypto";
import { isIPv6 } from "node:net";
import type { ErrorCode } from "@shared/contract/errors.ts";
import type { Database } from "@shared/database/database.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { RateLimiterMongo, RateLimiterRes } from "rate-limiter-flexible";
import { z } from "zod";
import type { ServerDeps } from "../server-deps.ts";
import { type AppContext, type AppMiddleware, sessionOf } from "./context.ts";
import { rateLimited } from "./errors.ts";

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
type LimitedAction = keyof typeof RATE_LIMITS;

/** The limits of one action, for its route; those by user stand after `requireUser`. */
export function rateLimits(
  deps: Pick<ServerDeps, "database" | "settings">,
  action: LimitedAction,
): AppMiddleware[] {
  return RATE_LIMITS[action].map((rule) => rateLimit(deps, rule));
}

/** How a request ended: answered, or refused with this code. */
type RequestOutcome = "answered" | ErrorCode;

/** At most `points` requests of one key in `durationSeconds`, over all servers on one database. */
export interface RateLimitRule {
  name: string;
  points: number;
  durationSeconds: number;
  /** Who is counted, in one part or several; only a hash of it is stored. */
  key: (ctx: AppContext) => string | string[];
  /** Which requests use up a point for good; the others give theirs back when they end. All do, unless given. */
  counts?: (outcome: RequestOutcome) => boolean;
}

/**
 * Lets only so many requests pass, and no unlimited number while the database is away: then it fails as the
 * requests themselves do. A point is taken before the request runs, so that many at once cannot slip through.
 * @throws AppError rate-limited, with the seconds until the period ends
 */
export function rateLimit(
  deps: Pick<ServerDeps, "database" | "settings">,
  rule: RateLimitRule,
): AppMiddleware {
  if (deps.settings.RATE_LIMIT === "off") return (_, next) => next();
  const limiter = createLimiter(deps.database, rule);
  const { counts = () => true } = rule;
  return async (ctx, next) => {
    const key = hashOf(rule.key(ctx));
    const settle = async (outcome: RequestOutcome) => {
      if (counts(outcome)) return;
      await limiter.reward(key).catch((error: unknown) => {
        ctx.state.log.warn({ err: error, limit: rule.name }, "point not given back");
      });
    };
    try {
      await takePoint(limiter, key);
      await next();
    } catch (error) {
      if (isRefusal(error)) await settle(error.code);
      throw error;
    }
    await settle("answered");
  };
}

/** Whether a request failed by its own fault. After a fault of ours there may be no database to settle with. */
function isRefusal(error: unknown): error is AppError {
  return error instanceof AppError && error.status < 500;
}

/** Counts need not survive a crash of the database: no write waits for the disk. */
function createLimiter(database: Database, rule: RateLimitRule): RateLimiterMongo {
  const { connection, rateLimits } = database;
  return new RateLimiterMongo({
    storeClient: connection.getClient().db(connection.name, { writeConcern: { w: 1 } }),
    tableName: rateLimits.collection.collectionName,
    disableIndexesCreation: true,
    keyPrefix: rule.name,
    points: rule.points,
    duration: rule.durationSeconds,
    // Where no point comes back, who was refused is refused from memory: a flood costs the database nothing.
    inMemoryBlockOnConsumed: rule.counts ? 0 : rule.points + 1,
  });
}

async function takePoint(limiter: RateLimiterMongo, key: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    throw rateLimited(Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000)));
  }
}

/** Keeps names and addresses out of the counters, and the counters' keys short. */
function hashOf(key: string | string[]): string {
  return createHash("sha256").update(JSON.stringify(key)).digest("base64url");
}

const IPV6_GROUPS = 8;
const NETWORK_GROUPS = 4;

/**
 * What stands for one client in a limit by address: the IPv4 address, or the /64 network of an IPv6 address, since
 * whoever has one of its addresses has all of them.
 * @param address as a socket names its other end
 */
export function clientNetwork(address: string): string {
  const mapped = /^::ffff:(?<v4>\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.groups?.v4;
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("::");
  const first = head.split(":").filter(Boolean);
  const last = tail?.split(":").filter(Boolean) ?? [];
  const omitted = Array.from({ length: IPV6_GROUPS - first.length - last.length }, () => "0");
  const groups = tail === undefined ? first : [...first, ...omitted, ...last];
  return `${groups.slice(0, NETWORK_GROUPS).join(":")}::/64`;
}
