import { createSecretKey, type KeyObject, randomUUID } from "node:crypto";
import {
  HOUR_MS,
  KNOWN_NETWORK_DAYS,
  SESSION_IDLE_HOURS,
  SESSION_LIFETIME_DAYS,
} from "@shared/contract/constants.ts";
import type { Database } from "@shared/database/database.ts";
import type {
  ApiKeyRecord,
  KnownNetwork,
  SessionRecord,
  UserRecord,
} from "@shared/database/models/user.ts";
import { hasAccess, mustEnrol } from "@shared/domain/access.ts";
import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import type { RequestOrigin } from "@shared/outbox/security-log.ts";
import type { Settings } from "@shared/runtime/settings.ts";
import DataLoader from "dataloader";
import jwt from "jsonwebtoken";
import type { Types } from "mongoose";
import { z } from "zod";
import type { ServerDeps } from "../server-deps.ts";
import { hashOfKey, isApiKey, KEY_USE_INTERVAL_MS, keyExpiry, userIdOfKey } from "./api-keys.ts";
import { unauthenticated, unavailable } from "./errors.ts";
import { endSessions } from "./session-ends.ts";

/** Who issues and who accepts the tokens. Tokens of other products with the same secret are refused. */
export const TOKEN_OPTIONS = {
  algorithms: ["HS256"],
  issuer: "ai-trading-signals",
  audience: "ai-trading-signals-api",
} as const satisfies jwt.VerifyOptions;

export const tokenKey = ({ JWT_SECRET }: Pick<Settings, "JWT_SECRET">): KeyObject =>
  createSecretKey(JWT_SECRET, "utf8");

const SESSION_IDLE_MS = SESSION_IDLE_HOURS * HOUR_MS;
const SESSION_LIFETIME_MS = SESSION_LIFETIME_DAYS * 24 * HOUR_MS;

/** A use within this time after the last one is not stored. */
const LAST_SEEN_INTERVAL_MS = 5 * 60_000;

const MAX_SESSIONS = 50;

/** A network stays a user's own for this time after the last sign-in from it, also when the session has ended. */
const KNOWN_NETWORK_MS = KNOWN_NETWORK_DAYS * 24 * HOUR_MS;
/** Of a user; the ones used last. Only somebody who knows the password can add one. */
const MAX_NETWORKS = 100;

const claimsSchema = z.object({
  sub: z.string().regex(/^[0-9a-f]{24}$/),
  sid: z.uuid(),
});

export interface AuthenticatedSession {
  /** `approved` is true only while a subscription, if there is one, gives access. */
  user: UserRecord;
  /** Or the id of `key`. */
  sessionId: string;
  /** Set if it is the use of an API key. `user` is no administrator then, unless one who must enrol. */
  key?: Pick<ApiKeyRecord, "prefix" | "scopes">;
  startedAt: Date;
  /** When it ends unless it is used before. */
  expiresAt: Date;
  /** Where the request comes from that it was read for, if any. */
  origin: RequestOrigin | undefined;
}

/** Where a sign-in comes from. */
export interface Device extends Pick<SessionRecord, "network"> {
  origin: RequestOrigin;
}

type SessionDeps = Pick<ServerDeps, "database" | "settings" | "now">;

/**
 * Starts a session of `user` and returns its token.
 * @returns null if all sessions of the user were ended since it was read, or the user is deleted
 */
export async function startSession(
  { database, settings, now }: SessionDeps,
  user: Pick<UserRecord, "_id" | "username" | "sessionVersion" | "twoFactor">,
  { origin, network }: Device,
): Promise<string | null> {
  const at = now();
  const session: SessionRecord = {
    id: randomUUID(),
    createdAt: at,
    lastSeenAt: at,
    userAgent: origin.device,
    network,
  };
  const { _id, username, sessionVersion, twoFactor } = user;
  return commit(database, { lockKeys: `sessions:${_id}`, now, origin }, async (uow) => {
    const before = await database.users
      .findOneAndUpdate(
        { _id, sessionVersion },
        { $push: { sessions: { $each: [session], $slice: -MAX_SESSIONS } } },
        { session: uow.session },
      )
      .lean();
    if (!before) return null;
    await rememberNetwork(database, uow, before, network);
    for (const { id } of before.sessions.slice(0, 1 - MAX_SESSIONS)) {
      endSessions(uow, { userId: _id.toString(), reason: "revoked-session", sessionId: id });
    }
    const details = { second_factor: twoFactor !== null };
    uow.log({ type: "sign-in:succeeded", user: username, details });
    return signToken(settings, _id, session);
  });
}

/** Adds a network to those of a user, whose document the transaction has written. */
export async function rememberNetwork(
  database: Database,
  { session, at }: UnitOfWork,
  user: Pick<UserRecord, "_id" | "networks">,
  network: string,
): Promise<void> {
  const others = knownNetworks(user, at).filter((known) => known.network !== network);
  const networks = [...others, { network, signedInAt: at }].slice(-MAX_NETWORKS);
  await database.users.updateOne({ _id: user._id }, { $set: { networks } }, { session });
}

/** The networks that are a user's own, the one used last at the end. */
export const knownNetworks = (
  { networks = [] }: Pick<UserRecord, "networks">,
  at: Date,
): KnownNetwork[] =>
  networks.filter(({ signedInAt }) => signedInAt.getTime() > at.getTime() - KNOWN_NETWORK_MS);

function signToken(
  settings: Pick<Settings, "JWT_SECRET">,
  userId: Types.ObjectId,
  { id, createdAt }: SessionRecord,
): string {
  const { issuer, audience } = TOKEN_OPTIONS;
  const [algorithm] = TOKEN_OPTIONS.algorithms;
  const issuedAt = Math.floor(createdAt.getTime() / 1_000);
  const claims = { sid: id, iat: issuedAt, exp: issuedAt + SESSION_LIFETIME_MS / 1_000 };
  const subject = userId.toString();
  return jwt.sign(claims, tokenKey(settings), { algorithm, issuer, audience, subject });
}

/** The session of a token or an API key. @throws AppError unauthenticated if it is invalid, or has ended */
export async function authenticateToken(
  deps: SessionDeps,
  token: string,
): Promise<AuthenticatedSession> {
  if (isApiKey(token)) return authenticateKey(deps, token);
  return sessionOfClaims(deps, verifiedClaims(deps, token));
}

/** The session of verified claims. @throws AppError unauthenticated like `authenticateToken` */
export async function sessionOfClaims(
  deps: Pick<SessionDeps, "database" | "now">,
  verified: unknown,
  origin?: RequestOrigin,
): Promise<AuthenticatedSession> {
  const claims = claimsSchema.safeParse(verified);
  if (!claims.success) throw unauthenticated(claims.error);
  const { sub, sid } = claims.data;
  return resumeSession(deps, sub, sid, origin);
}

/** Finds a session and records that it is used. @throws AppError unauthenticated if it has ended */
export async function resumeSession(
  deps: Pick<SessionDeps, "database" | "now">,
  userId: string,
  sessionId: string,
  origin?: RequestOrigin,
): Promise<AuthenticatedSession> {
  const { database } = deps;
  const at = deps.now();
  const user = await usersOf(database).load(userId);
  const session = user?.sessions.find(({ id }) => id === sessionId);
  if (!user || !session) throw unauthenticated();
  if (!isActive(session, at)) {
    await removeExpired(deps, user, sessionId, origin);
    throw unauthenticated();
  }
  if (at.getTime() - session.lastSeenAt.getTime() > LAST_SEEN_INTERVAL_MS) {
    session.lastSeenAt = at;
    await database.users.updateOne(
      { _id: user._id, "sessions.id": sessionId },
      { $max: { "sessions.$.lastSeenAt": at } },
    );
  }
  return {
    user: { ...user, approved: hasAccess(user, at) },
    sessionId,
    startedAt: session.createdAt,
    expiresAt: expiryOf(session),
    origin,
  };
}

/** An API key and its user, unless it is unknown, expired or deleted. */
export async function findKey(
  { database, now }: Pick<SessionDeps, "database" | "now">,
  token: string,
): Promise<{ user: UserRecord; key: ApiKeyRecord } | null> {
  const at = now();
  const userId = userIdOfKey(token);
  const user = userId === undefined ? undefined : await usersOf(database).load(userId);
  const hash = hashOfKey(token);
  const key = user?.apiKeys?.find((one) => one.hash === hash);
  return user && key && keyExpiry(key) > at ? { user, key } : null;
}

/** The use of an API key, which is recorded. @throws AppError unauthenticated if it is unknown, expired or deleted */
export async function authenticateKey(
  deps: SessionDeps,
  token: string,
  origin?: RequestOrigin,
): Promise<AuthenticatedSession> {
  const { database, settings, now } = deps;
  const at = now();
  const found = await findKey(deps, token);
  if (!found) throw unauthenticated();
  const { user, key } = found;
  const { id, prefix, scopes, createdAt, lastUsedAt } = key;
  if (!lastUsedAt || at.getTime() - lastUsedAt.getTime() > KEY_USE_INTERVAL_MS) {
    await database.users.updateOne(
      { _id: user._id, "apiKeys.id": id },
      { $max: { "apiKeys.$.lastUsedAt": at } },
    );
  }
  const role = mustEnrol(settings, user) ? user.role : "user";
  return {
    user: { ...user, role, approved: hasAccess(user, at) },
    sessionId: id,
    key: { prefix, scopes },
    startedAt: createdAt,
    expiresAt: keyExpiry(key),
    origin,
  };
}

/** Removes the session, so that the security log has one entry for it, however often its token is shown. */
function removeExpired(
  { database, now }: Pick<SessionDeps, "database" | "now">,
  { _id, username }: UserRecord,
  sessionId: string,
  origin: RequestOrigin | undefined,
): Promise<void> {
  return commit(database, { lockKeys: `sessions:${_id}`, now, origin }, async (uow) => {
    const { modifiedCount } = await database.users.updateOne(
      { _id },
      { $pull: { sessions: { id: sessionId } } },
      { session: uow.session },
    );
    const details = { reason: "expired" };
    if (modifiedCount > 0) uow.log({ type: "session:ended", user: username, details });
  });
}

function expiryOf({ createdAt, lastSeenAt }: SessionRecord): Date {
  return new Date(
    Math.min(lastSeenAt.getTime() + SESSION_IDLE_MS, createdAt.getTime() + SESSION_LIFETIME_MS),
  );
}

/** Whether a session has not expired. */
export const isActive = (session: SessionRecord, at: Date): boolean => expiryOf(session) > at;

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
  const users = await database.users
    .find({ _id: { $in: [...ids] } })
    .setOptions({ signal })
    .lean()
    .catch((error: unknown) => {
      throw signal.aborted ? unavailable(error) : error;
    });
  const userById = new Map(users.map((user) => [user._id.toString(), user]));
  return ids.map((id) => userById.get(id));
}

function verifiedClaims(deps: SessionDeps, token: string): unknown {
  try {
    return jwt.verify(token, tokenKey(deps.settings), {
      ...TOKEN_OPTIONS,
      algorithms: [...TOKEN_OPTIONS.algorithms],
      clockTimestamp: Math.floor(deps.now().getTime() / 1_000),
    });
  } catch (error) {
    throw unauthenticated(error);
  }
}
