import {
  type ApiKey,
  type CreatedApiKey,
  MAX_API_KEYS,
  type NewApiKey,
} from "@shared/contract/api-keys.ts";
import { apiKeyRoutes } from "@shared/contract/routes/api-key-routes.ts";
import type { ApiKeyRecord, UserRecord } from "@shared/database/models/user.ts";
import { commit } from "@shared/outbox/commit.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { createApiKey, keyExpiry } from "../../http/api-keys.ts";
import { unauthenticated } from "../../http/errors.ts";
import { type BoundRoute, handle } from "../../http/router.ts";
import { endSessions } from "../../http/session-ends.ts";
import type { AuthenticatedSession } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { notifyOfNewKey } from "./account-emails.ts";

export const apiKeyHandlers: BoundRoute[] = [
  handle(apiKeyRoutes.listApiKeys, (_, { session }) => ({ keys: listApiKeys(session.user) })),
  handle(apiKeyRoutes.createApiKey, ({ body }, { deps, session }) => addKey(deps, session, body)),
  handle(apiKeyRoutes.deleteApiKey, ({ params }, { deps, session }) =>
    endKey(deps, session, params.id),
  ),
];

/** Newest first, expired ones too. */
export const listApiKeys = ({ apiKeys = [] }: Pick<UserRecord, "apiKeys">): ApiKey[] =>
  apiKeys.map(presentKey).toReversed();

const presentKey = (key: ApiKeyRecord): ApiKey => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  scopes: key.scopes,
  created_at: key.createdAt.toISOString(),
  expires_at: key.expiresAt?.toISOString() ?? null,
  last_used_at: key.lastUsedAt?.toISOString() ?? null,
});

/** An expired key gives way to a new one. */
async function addKey(
  deps: ServerDeps,
  { user, sessionId, origin }: AuthenticatedSession,
  input: NewApiKey,
): Promise<CreatedApiKey> {
  const { database, now } = deps;
  const { _id, username } = user;
  const { key, record } = createApiKey(user, input, now());
  await commit(database, { lockKeys: `sessions:${_id}`, now, origin }, async (uow) => {
    const { session, at } = uow;
    // The session may have been ended meanwhile, by a change of the password for example.
    const owner = await database.users
      .findOne({ _id, "sessions.id": sessionId })
      .session(session)
      .lean();
    if (!owner) throw unauthenticated();
    const valid = (owner.apiKeys ?? []).filter((one) => keyExpiry(one) > at);
    if (valid.length >= MAX_API_KEYS) {
      throw new AppError("too-many-keys", `You can have ${MAX_API_KEYS} API keys. End one first.`);
    }
    await database.users.updateOne({ _id }, { $set: { apiKeys: [...valid, record] } }, { session });
    const { prefix, scopes } = record;
    const details = { key: prefix, scopes: scopes.join(", ") };
    uow.log({ type: "api-key:created", user: username, details });
  });
  notifyOfNewKey(deps, user, record);
  return { ...presentKey(record), key };
}

/** Ends a key and closes its sockets. */
async function endKey(
  { database, now }: ServerDeps,
  { user, origin }: AuthenticatedSession,
  id: string,
): Promise<void> {
  const { _id, username } = user;
  await commit(database, { lockKeys: `sessions:${_id}`, now, origin }, async (uow) => {
    const before = await database.users
      .findOneAndUpdate(
        { _id, "apiKeys.id": id },
        { $pull: { apiKeys: { id } } },
        { session: uow.session },
      )
      .lean();
    const ended = before?.apiKeys?.find((key) => key.id === id);
    if (!ended) throw new AppError("not-found", "This API key has already ended.");
    uow.log({ type: "api-key:ended", user: username, details: { key: ended.prefix } });
    endSessions(uow, { userId: _id.toString(), reason: "revoked-session", sessionId: id });
  });
}
