import type { UserCard } from "@shared/contract/account.ts";
import type { UserDetails, UserList, UserListQuery } from "@shared/contract/admin.ts";
import { DAY_MS } from "@shared/contract/constants.ts";
import { ENDING_DAYS } from "@shared/contract/subscription.ts";
import type { Database } from "@shared/database/database.ts";
import { AWAITS_REVIEW } from "@shared/database/models/payment.ts";
import {
  USER_APPROVAL_INDEX,
  USER_LIST_INDEX,
  type UserRecord,
} from "@shared/database/models/user.ts";
import { findProofsOf, presentUserCard, USER_CARD_FIELDS } from "@shared/domain/user-card.ts";
import type { QueryFilter } from "mongoose";
import { keyExpiry } from "../../http/api-keys.ts";
import { beforeCursor, takePage } from "../../http/pagination.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { createSignPath, withSignedProof } from "../files/signed-url.ts";
import { listSignals } from "../signals/queries.ts";
import { listBillingPeriods } from "../subscriptions/queries.ts";
import { matchingUsers } from "./find-users.ts";
import { findUserByName } from "./manage-users.ts";

type Admin = Pick<UserRecord, "_id">;

/** Users with signed URLs of their payment proofs, newest first: all of them, or one page. */
export async function listUsers(
  deps: ServerDeps,
  admin: Admin,
  query: UserListQuery,
): Promise<UserList> {
  const { users } = deps.database;
  const { limit, cursor } = query;
  const filter = await filterOf(deps, query);
  const hint = hintFor(query);
  const sorting = sortingOf(query);
  const found = await users
    .find(sorting ? filter : { $and: [filter, beforeCursor("createdAt", cursor)] })
    .select([...USER_CARD_FIELDS])
    .sort(sorting?.order ?? { createdAt: -1, _id: -1 })
    .skip(sorting?.skip ?? 0)
    .limit(limit === undefined ? 0 : limit + 1)
    .hint(hint)
    .lean();
  const { page, next } = sorting
    ? takeSorted(found, limit ?? found.length, sorting.skip)
    : takePage(found, limit ?? found.length, (user) => user.createdAt);
  const isWhole = !cursor && next === null;
  const countFiltered = () => (isWhole ? found.length : users.countDocuments(filter).hint(hint));
  const total = await (isFiltered(query) ? countFiltered() : countUsers(deps.database));
  return { users: await presentCards(deps, admin, page), next_cursor: next, total };
}

const isFiltered = ({ search, status, sort }: UserListQuery): boolean =>
  Boolean(search) || status !== undefined || isByEnd(sort);

const isByEnd = (sort: UserListQuery["sort"]): boolean => sort === "ends" || sort === "-ends";

const ORDERS = {
  registered: { createdAt: 1, _id: 1 },
  username: { usernameKey: 1 },
  "-username": { usernameKey: -1 },
  ends: { "subscription.accessEndsAt": 1, _id: 1 },
  "-ends": { "subscription.accessEndsAt": -1, _id: -1 },
} as const;

/** Any order but the default one, whose pages begin after a number of users: that of the cursor before its `_`. */
function sortingOf({ sort = "-registered", cursor }: UserListQuery) {
  if (sort === "-registered") return null;
  return { order: ORDERS[sort], skip: cursor ? Number.parseInt(cursor, 10) : 0 };
}

function takeSorted(found: readonly UserRecord[], limit: number, skip: number) {
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return { page, next: found.length > limit && last ? `${skip + limit}_${last._id}` : null };
}

/** The index to use, because the database tries others that are slow for 50,000 users. */
function hintFor({ search, status, sort }: UserListQuery) {
  if (isOfEnd(status) || (isByEnd(sort) && status !== "proof"))
    return { "subscription.accessEndsAt": 1 } as const;
  if (status === "proof") return { _id: 1 } as const;
  if (sort === "username" || sort === "-username") return { usernameKey: 1 } as const;
  return search || status === undefined ? USER_LIST_INDEX : USER_APPROVAL_INDEX;
}

/** Counting by approval reads an index only. */
export const countByApproval = ({ users }: Database, approved: boolean) =>
  users.countDocuments({ approved }).hint(USER_APPROVAL_INDEX);

async function countUsers(database: Database): Promise<number> {
  const [approved, pending] = await Promise.all([
    countByApproval(database, true),
    countByApproval(database, false),
  ]);
  return approved + pending;
}

async function filterOf(
  { database, now }: ServerDeps,
  { search, status, sort }: UserListQuery,
): Promise<QueryFilter<UserRecord>> {
  const found = {
    ...(search && (await matchingUsers(database, search))),
    ...(isByEnd(sort) && { "subscription.accessEndsAt": { $gt: new Date(0) } }),
  };
  if (status === undefined) return found;
  if (isOfEnd(status)) return { ...found, ...END_FILTERS[status](now()) };
  if (status !== "proof") return { ...found, approved: status === "approved" };
  return { ...found, _id: { $in: await database.paymentProofs.distinct("userId", AWAITS_REVIEW) } };
}

/** By the end of a subscription. */
const END_FILTERS = {
  ending: (at: Date): QueryFilter<UserRecord> => ({
    "subscription.accessEndsAt": { $gt: at },
    "subscription.endsAt": { $gt: at, $lte: new Date(at.getTime() + ENDING_DAYS * DAY_MS) },
  }),
  grace: (at: Date): QueryFilter<UserRecord> => ({
    "subscription.accessEndsAt": { $gt: at },
    "subscription.endsAt": { $lte: at },
  }),
  ended: (at: Date): QueryFilter<UserRecord> => ({ "subscription.accessEndsAt": { $lte: at } }),
} as const;

const isOfEnd = (status: UserListQuery["status"]): status is keyof typeof END_FILTERS =>
  status !== undefined && status in END_FILTERS;

/** Makes users of former releases searchable. */
export async function addSearchKeys({ users }: Database): Promise<void> {
  await users.updateMany(
    { searchKey: { $exists: false } },
    [{ $set: { searchKey: { $concat: ["$usernameKey", "\n", "$emailKey"] } } }],
    { updatePipeline: true },
  );
}

async function presentCards(
  deps: ServerDeps,
  admin: Admin,
  users: readonly UserRecord[],
): Promise<UserCard[]> {
  const ids = users.map((user) => user._id);
  const proofs = await findProofsOf(deps.database, ids);
  const signPath = createSignPath(deps, admin);
  const at = deps.now();
  const cards = users.map((user) => presentUserCard(user, at, proofs.get(user._id.toString())));
  return cards.map((card) => ({
    ...card,
    payment_proof: card.payment_proof && withSignedProof(card.payment_proof, signPath),
  }));
}

const MAX_CREDIT_ENTRIES = 50;
const MAX_SIGNALS = 20;

/** A user with their payments, last credit entries and last signals. */
export async function getUserDetails(
  deps: ServerDeps,
  admin: Admin,
  username: string,
): Promise<UserDetails> {
  const { database } = deps;
  const user = await findUserByName(database, username);
  const [cards, periods, entries, { signals }] = await Promise.all([
    presentCards(deps, admin, [user]),
    listBillingPeriods(database, user._id, createSignPath(deps, admin)),
    database.creditEntries
      .find({ userId: user._id })
      .sort({ at: -1, _id: -1 })
      .limit(MAX_CREDIT_ENTRIES)
      .lean(),
    listSignals(database, user, { limit: MAX_SIGNALS }),
  ]);
  const [card = presentUserCard(user, deps.now())] = cards;
  return {
    user: card,
    periods,
    credits: entries.map(({ _id, at, kind, amount, balance, by, why }) => ({
      id: _id.toString(),
      at: at.toISOString(),
      kind,
      amount,
      balance,
      by,
      why,
    })),
    signals,
    api_keys: (user.apiKeys ?? []).filter((key) => keyExpiry(key) > deps.now()).length,
  };
}
