import { createHash } from "node:crypto";
import type { ErrorCode } from "@shared/contract/errors.ts";
import { AppError } from "@shared/node/app-error.ts";
import type { Database } from "@shared/node/database.ts";
import { RateLimiterMongo, RateLimiterRes } from "rate-limiter-flexible";
import type { AppContext, AppMiddleware } from "../app-context.ts";
import { rateLimited } from "../errors.ts";
import type { ServerDeps } from "../server-deps.ts";

/** How a request ended: answered, or refused with this code. */
export type RequestOutcome = "answered" | ErrorCode;

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
