import { HOUR_MS } from "@shared/contract/constants.ts";
import {
  eventTypesOf,
  type SecurityLogPage,
  type SecurityLogQuery,
} from "@shared/contract/security-log.ts";
import type { Database } from "@shared/database/database.ts";
import { USERNAME_COLLATION } from "@shared/database/models/security-log.ts";
import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import {
  type NewSecurityLogEntry,
  presentLogEntry,
  type RequestOrigin,
} from "@shared/outbox/security-log.ts";
import { withKeys } from "@shared/runtime/keyed-mutex.ts";
import type { Model, QueryFilter, UpdateQuery } from "mongoose";
import { unauthenticated } from "../../http/errors.ts";
import { beforeCursor, takePage } from "../../http/pagination.ts";
import type { AuthenticatedSession } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";

/**
 * Commits an administrator's action. Checks the role in the transaction, so that two administrators who delete each other at
 * once cannot both succeed.
 */
export function commitAsAdmin<Result>(
  { database, now }: ServerDeps,
  { user, origin }: AuthenticatedSession,
  lockKeys: string | readonly string[],
  apply: (uow: UnitOfWork) => Promise<Result>,
): Promise<Result> {
  return commit(database, { lockKeys, actor: user.username, now, origin }, async (uow) => {
    const { _id } = user;
    const admins = database.users.exists({ _id, role: "admin" });
    if (!(await admins.session(uow.session))) throw unauthenticated();
    return apply(uow);
  });
}

/** Changes a document and adds an entry, both or neither. @returns whether the document was found */
export function updateAndLog<Stored>(
  { database, now }: ServerDeps,
  origin: RequestOrigin | undefined,
  change: { model: Model<Stored>; filter: QueryFilter<Stored>; update: UpdateQuery<Stored> },
  entry: NewSecurityLogEntry,
): Promise<boolean> {
  const { model, filter, update } = change;
  return commit(database, { lockKeys: [], now, origin }, async (uow) => {
    const { matchedCount } = await model.updateOne(filter, update, { session: uow.session });
    if (matchedCount > 0) uow.log(entry);
    return matchedCount > 0;
  });
}

/** Adds an entry about something that changes nothing else. */
export const addLogEntry = (
  { database, now }: ServerDeps,
  origin: RequestOrigin | undefined,
  entry: NewSecurityLogEntry,
): Promise<void> =>
  commit(database, { lockKeys: [], groupCommit: true, now, origin }, (uow) => uow.log(entry));

/**
 * Adds an entry unless the last hour has `max` with the same type, names and details, so that requests that anyone can
 * repeat do not fill the database.
 */
export function addLimitedLogEntry(
  deps: ServerDeps,
  origin: RequestOrigin | undefined,
  entry: NewSecurityLogEntry,
  max: number,
): Promise<void> {
  const { type, user, actor = user, details = {} } = entry;
  const same = { type, user, actor, details };
  return withKeys(deps.database.securityLog, [JSON.stringify(same)], async () => {
    const since = new Date(deps.now().getTime() - HOUR_MS);
    const recent = await deps.database.securityLog
      .countDocuments({ ...same, at: { $gt: since } })
      .limit(max);
    if (recent < max) await addLogEntry(deps, origin, entry);
  });
}

export async function readSecurityLog(
  { database }: { database: Database },
  { limit, cursor, type, user, actor, from, to }: SecurityLogQuery,
): Promise<SecurityLogPage> {
  const conditions = [
    beforeCursor("at", cursor),
    ...(type ? [{ type: { $in: [...eventTypesOf(type)] } }] : []),
    ...(user ? [{ user }] : []),
    ...(actor ? [{ actor }] : []),
    ...(from ? [{ at: { $gte: new Date(from) } }] : []),
    ...(to ? [{ at: { $lt: new Date(to) } }] : []),
  ];
  const query = database.securityLog.find({ $and: conditions });
  // The indexes by name have this collation, the others do not.
  if (user || actor) query.collation(USERNAME_COLLATION);
  const found = await query
    .sort({ at: -1, _id: -1 })
    .limit(limit + 1)
    .lean();
  const { page, next } = takePage(found, limit, (entry) => entry.at);
  return { entries: page.map(presentLogEntry), next_cursor: next };
}
