import { createHash } from "node:crypto";
import { isIPv6 } from "node:net";
import { withAsciiDomain } from "@shared/contract/authentication.ts";
import type { ErrorCode } from "@shared/contract/errors.ts";
import type { RateLimit } from "@shared/contract/routes/define-route.ts";
import type { Database } from "@shared/database/database.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { type RateLimiterAbstract, RateLimiterMongo, RateLimiterRes } from "rate-limiter-flexible";
import { z } from "zod";
import type { ServerDeps } from "../server-deps.ts";
import { type AppContext, type AppMiddleware, sessionOf } from "./context.ts";
import { rateLimited } from "./errors.ts";

const SECONDS = { minute: 60, "10 minutes": 600, hour: 3_600 } as const;

/** The limits of a route. Those by user must run after `requireUser`. */
export function rateLimits(
  deps: Pick<ServerDeps, "database" | "settings">,
  limits: readonly RateLimit[],
): AppMiddleware[] {
  return limits.map(({ name, points, per, by, onlyAfter, notAfter }) =>
    rateLimit(deps, {
      name,
      points,
      durationSeconds: SECONDS[per],
      key: (ctx) => by.map((part) => keyPart(ctx, part)),
      ...(onlyAfter && { counts: (outcome) => outcome === onlyAfter }),
      ...(notAfter && { counts: (outcome) => outcome !== notAfter }),
    }),
  );
}

function keyPart(ctx: AppContext, part: RateLimit["by"][number]): string {
  // The address of the socket, or the one in X-Forwarded-For that a trusted proxy added.
  if (part === "address") return clientNetwork(ctx.ip);
  if (part === "user") return sessionOf(ctx).user._id.toString();
  return bodyText(ctx, part.slice("body.".length));
}

/** A text of the body, normalized like user names and addresses, which may be written in many ways. Empty if absent. */
function bodyText(ctx: AppContext, field: string): string {
  const body = z.record(z.string(), z.unknown()).safeParse(ctx.request.body);
  const value = body.success ? body.data[field] : undefined;
  return typeof value === "string" ? withAsciiDomain(value.trim()).toLowerCase() : "";
}

type RequestOutcome = "success" | ErrorCode;

/** At most `points` requests per key in `durationSeconds`, over all servers on one database. */
export interface RateLimitRule {
  name: string;
  points: number;
  durationSeconds: number;
  /** Identifies the client. Only a hash of it is stored. */
  key: (ctx: AppContext) => string | string[];
  /** Outcomes that use up a point; the points of other requests are returned. All count if absent. */
  counts?: (outcome: RequestOutcome) => boolean;
}

/**
 * Takes a point before the request runs, so that concurrent requests cannot exceed the limit. Without a database the
 * request fails as unavailable. @throws AppError rate-limited
 */
export function rateLimit(
  deps: Pick<ServerDeps, "database" | "settings">,
  rule: RateLimitRule,
): AppMiddleware {
  if (deps.settings.RATE_LIMIT === "off") return (_, next) => next();
  const { name, points, durationSeconds, counts = () => true } = rule;
  const givesBack = rule.counts !== undefined;
  const limiter = createLimiter(deps.database, { name, points, durationSeconds, givesBack });
  return async (ctx, next) => {
    const key = hashOf(rule.key(ctx));
    const settle = async (outcome: RequestOutcome) => {
      if (counts(outcome)) return;
      await limiter.reward(key).catch((error: unknown) => {
        ctx.state.log.warn({ err: error, limit: rule.name }, "rate limit point not returned");
      });
    };
    try {
      const left = await takePoint(limiter, key).catch((error: unknown) => {
        if (isClientError(error))
          showLimit(ctx, { points, remaining: 0, ms: (error.retryAfterSeconds ?? 1) * 1_000 });
        throw error;
      });
      showLimit(ctx, { points, remaining: left.remainingPoints, ms: left.msBeforeNext });
      await next();
    } catch (error) {
      if (isClientError(error)) await settle(error.code);
      throw error;
    }
    await settle("success");
  };
}

/** `RateLimit-*` of the limit that is nearest. */
function showLimit(
  ctx: AppContext,
  { points, remaining, ms }: { points: number; remaining: number; ms: number },
): void {
  const shown = ctx.response.get("RateLimit-Remaining");
  if (shown !== "" && Number(shown) <= remaining) return;
  ctx.set("RateLimit-Limit", String(points));
  ctx.set("RateLimit-Remaining", String(Math.max(0, remaining)));
  ctx.set("RateLimit-Reset", String(Math.max(1, Math.ceil(ms / 1_000))));
}

/** After a server error the database may be unavailable, so the point is not returned. */
function isClientError(error: unknown): error is AppError {
  return error instanceof AppError && error.status < 500;
}

/** Points may be lost in a database crash, so that no write waits for the disk. */
export function createLimiter(
  database: Database,
  rule: Pick<RateLimitRule, "name" | "points" | "durationSeconds"> & { givesBack: boolean },
): RateLimiterMongo {
  const { connection, rateLimits } = database;
  return new RateLimiterMongo({
    storeClient: connection.getClient().db(connection.name, { writeConcern: { w: 1 } }),
    tableName: rateLimits.collection.collectionName,
    disableIndexesCreation: true,
    keyPrefix: rule.name,
    points: rule.points,
    duration: rule.durationSeconds,
    // If points are never returned, further requests are rejected from memory without a database access.
    inMemoryBlockOnConsumed: rule.givesBack ? 0 : rule.points + 1,
  });
}

/** @param customDuration seconds, if not those of the limiter @throws AppError rate-limited */
export async function takePoint(
  limiter: RateLimiterAbstract,
  key: string,
  customDuration?: number,
): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(key, 1, customDuration === undefined ? {} : { customDuration });
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    throw rateLimited(Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000)));
  }
}

/** Keeps names and addresses out of the database, and keys short. */
export function hashOf(key: string | readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(key)).digest("base64url");
}

const IPV6_GROUPS = 8;
const NETWORK_GROUPS = 4;

/**
 * Identifies a client by address: the IPv4 address, or the /64 network of an IPv6 address, because a client usually has
 * a whole network.
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
