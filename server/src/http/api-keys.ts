import { createHash, randomBytes, randomUUID } from "node:crypto";
import { API_KEY_CALLS_PER_MINUTE, type NewApiKey } from "@shared/contract/api-keys.ts";
import { DAY_MS, MINUTE_MS } from "@shared/contract/constants.ts";
import { keyScopesOf, type RateLimit, type Route } from "@shared/contract/routes/define-route.ts";
import type { ApiKeyRecord, UserRecord } from "@shared/database/models/user.ts";
import { AppError } from "@shared/runtime/app-error.ts";

/** A key: 32 random bytes, and the id of its user, so that it is found without an index of its own. */
const KEY = /^ats_[\w-]{43}(?<userId>[\w-]{16})$/;
const PREFIX_LENGTH = 12;

/** A use within this time after the last one is not stored. */
export const KEY_USE_INTERVAL_MS = MINUTE_MS;

/** Of a key without one. */
const NO_EXPIRY = new Date(8_640_000_000_000_000);

/** Calls with keys, beside the limits of the routes. */
export const API_KEY_LIMIT: RateLimit = {
  name: "api-key",
  points: API_KEY_CALLS_PER_MINUTE,
  per: "minute",
  by: ["user"],
};

/** Whether a bearer token is meant to be an API key. */
export const isApiKey = (token: string): boolean => token.startsWith("ats_");

/** The API key that a request is sent with, if any. */
export const apiKeyOf = (authorization: string): string | undefined =>
  /^bearer +(?<key>ats_\S*) *$/i.exec(authorization)?.groups?.key;

/** A new key, which is not stored, and its record. */
export function createApiKey(
  { _id }: Pick<UserRecord, "_id">,
  { name, scopes, expires_in_days: days }: NewApiKey,
  at: Date,
): { key: string; record: ApiKeyRecord } {
  const userId = Buffer.from(_id.toHexString(), "hex").toString("base64url");
  const key = `ats_${randomBytes(32).toString("base64url")}${userId}`;
  const record: ApiKeyRecord = {
    id: randomUUID(),
    name,
    hash: hashOfKey(key),
    prefix: key.slice(0, PREFIX_LENGTH),
    scopes,
    createdAt: at,
    expiresAt: days ? new Date(at.getTime() + days * DAY_MS) : null,
    lastUsedAt: null,
  };
  return { key, record };
}

/** The id of the user whose key it is, unless it is none; not proven. */
export function userIdOfKey(key: string): string | undefined {
  const userId = KEY.exec(key)?.groups?.userId;
  return userId && Buffer.from(userId, "base64url").toString("hex");
}

/** A fast hash is enough: the key cannot be guessed. */
export const hashOfKey = (key: string): string => createHash("sha256").update(key).digest("hex");

export const keyExpiry = ({ expiresAt }: Pick<ApiKeyRecord, "expiresAt">): Date =>
  expiresAt ?? NO_EXPIRY;

/** Lets sessions do everything. @throws AppError key-scope */
export function assertScope(
  { key }: { key?: Pick<ApiKeyRecord, "scopes"> },
  route: Pick<Route, "scopes" | "access" | "method">,
): void {
  if (!key) return;
  const needed = keyScopesOf(route);
  if (needed.some((scope) => key.scopes.includes(scope))) return;
  const detail =
    needed.length > 0
      ? `This API key needs the scope ${needed.join(" or ")}.`
      : "This cannot be done with an API key. Sign in instead.";
  throw new AppError("key-scope", detail);
}
