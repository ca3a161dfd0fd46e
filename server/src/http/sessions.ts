import { createSecretKey, type KeyObject, randomUUID } from "node:crypto";
import { type Database, nativeCollection } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import type { Settings } from "@shared/runtime/settings.ts";
import DataLoader from "dataloader";
import jwt from "jsonwebtoken";
import { Types } from "mongoose";
import { z } from "zod";
import type { ServerDeps } from "../server-deps.ts";
import { unauthenticated, unavailable } from "./errors.ts";

/** The only accepted algorithm. */
export const TOKEN_ALGORITHM = "HS256";

export const tokenKey = ({ JWT_SECRET }: Pick<Settings, "JWT_SECRET">): KeyObject =>
  createSecretKey(JWT_SECRET, "utf8");

const TOKEN_LIFETIME_SECONDS = 7 * 86_400;

const claimsSchema = z.object({
  /** User id. */
  sub: z.string().regex(/^[0-9a-f]{24}$/),
  /** Session id. */
  sid: z.uuid(),
  /** Session version of the user when the token was issued. */
  ver: z.number().int().nonnegative(),
  /** Unix seconds. */
  exp: z.number().int().positive(),
});
type Claims = z.infer<typeof claimsSchema>;

export interface AuthenticatedSession {
  user: UserRecord;
  sessionId: string;
  expiresAt: Date;
}

type SessionDeps = Pick<ServerDeps, "database" | "settings" | "now">;

/** Starts a session of `user`: a token that is valid for 7 days, or until the session is ended. */
export function issueToken(options: {
  user: Pick<UserRecord, "_id" | "sessionVersion">;
  settings: Pick<Settings, "JWT_SECRET">;
  now: () => Date;
}): string {
  const { user, settings, now } = options;
  const issuedAt = Math.floor(now().getTime() / 1_000);
  const claims: Claims & { iat: number } = {
    sub: user._id.toString(),
    sid: randomUUID(),
    ver: user.sessionVersion,
    iat: issuedAt,
    exp: issuedAt + TOKEN_LIFETIME_SECONDS,
  };
  return jwt.sign(claims, tokenKey(settings), { algorithm: TOKEN_ALGORITHM });
}

/** The session of a token. @throws AppError unauthenticated if it is invalid, expired or ended, or its user is deleted */
export async function authenticateToken(
  deps: SessionDeps,
  token: string,
): Promise<AuthenticatedSession> {
  return findSession(deps, verifiedClaims(deps, token));
}

/** The session of verified claims. @throws AppError unauthenticated like `authenticateToken` */
export async function findSession(
  deps: Pick<SessionDeps, "database">,
  verified: unknown,
): Promise<AuthenticatedSession> {
  const claims = claimsSchema.safeParse(verified);
  if (!claims.success) throw unauthenticated(claims.error);
  const { sub, sid, exp } = claims.data;
  const user = await usersOf(deps.database).load(sub);
  if (!user || !isSessionOpen(user, claims.data)) throw unauthenticated();
  return { user, sessionId: sid, expiresAt: new Date(exp * 1_000) };
}

/**
 * Within the 10 s in which the API promises its 503. The driver (7.8) waits forever for a command that it writes to a
 * socket which the database has just closed: `writeCommand` waits for `drain` only.
 */
const READ_TIMEOUT_MS = 5_000;

type UserLoader = DataLoader<string, UserRecord | undefined>;
const userLoaders = new WeakMap<Database, UserLoader>();

/** Reads the users of all requests that have arrived by now with one command; it keeps none of them. */
function usersOf(database: Database): UserLoader {
  const loader =
    userLoaders.get(database) ??
    new DataLoader((ids: readonly string[]) => findUsers(database, ids), {
      cache: false,
      batchScheduleFn: setImmediate,
    });
  userLoaders.set(database, loader);
  return loader;
}

async function findUsers(
  database: Database,
  ids: readonly string[],
): Promise<(UserRecord | undefined)[]> {
  const signal = AbortSignal.timeout(READ_TIMEOUT_MS);
  const users = await nativeCollection(database.users)
    .find({ _id: { $in: ids.map((id) => new Types.ObjectId(id)) } }, { signal })
    .toArray()
    .catch((error: unknown) => {
      throw signal.aborted ? unavailable(error) : error;
    });
  const userById = new Map(users.map((user) => [user._id.toString(), user]));
  return ids.map((id) => userById.get(id));
}

function isSessionOpen(user: UserRecord, claims: Claims): boolean {
  return claims.ver === user.sessionVersion || claims.sid === user.keptSessionId;
}

function verifiedClaims(deps: SessionDeps, token: string): unknown {
  try {
    return jwt.verify(token, tokenKey(deps.settings), {
      algorithms: [TOKEN_ALGORITHM],
      clockTimestamp: Math.floor(deps.now().getTime() / 1_000),
    });
  } catch (error) {
    throw unauthenticated(error);
  }
}
