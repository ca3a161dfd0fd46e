import type { Database } from "@shared/database/database.ts";
import { USER_LIST_INDEX, type UserRecord } from "@shared/database/models/user.ts";
import type { QueryFilter } from "mongoose";

const MAX_FOUND = 10_000;

/** Users whose name, address or sender contains a text. */
export async function findUserIds(
  database: Database,
  search: string,
): Promise<UserRecord["_id"][]> {
  const found = await database.users
    .find(await matchingUsers(database, search))
    .select({ _id: 1 })
    .limit(MAX_FOUND)
    .hint(USER_LIST_INDEX)
    .lean();
  return found.map(({ _id }) => _id);
}

const MAX_SENDERS = 1_000;

/** A filter for users whose name, address or sender contains a text. */
export async function matchingUsers(
  database: Database,
  search: string,
): Promise<QueryFilter<UserRecord>> {
  const text = search.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  // The range of the index's first field lets the database compare the index's keys before it reads documents.
  const named = { createdAt: { $gte: new Date(0) }, searchKey: new RegExp(text.toLowerCase()) };
  const senders = await database.paymentProofs
    .find({ senderName: new RegExp(text, "i") })
    .select({ _id: 0, userId: 1 })
    .limit(MAX_SENDERS)
    .lean();
  const ids = senders.map(({ userId }) => userId);
  return ids.length === 0 ? named : { $or: [named, { _id: { $in: ids } }] };
}
