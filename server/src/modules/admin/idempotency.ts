import { IDEMPOTENCY_HOURS } from "@shared/contract/constants.ts";
import type { Database } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";

/** The key of an administrator's action on a user. */
interface ActionKey {
  action: "renewal" | "grant";
  admin: Pick<UserRecord, "_id">;
  user: Pick<UserRecord, "_id">;
  idempotencyKey: string;
}

/** What a repeated action answers with, where the answer is not that of the present state. */
interface ActionResult {
  request?: string;
  imageCredits?: number;
}

const idOf = ({ action, admin, user, idempotencyKey }: ActionKey): string =>
  `${action}:${admin._id}:${user._id}:${idempotencyKey}`;

/** @returns null if the key is new */
export function findUseOfKey(
  { idempotencyKeys }: Database,
  { session, at }: UnitOfWork,
  key: ActionKey,
): Promise<ActionResult | null> {
  const oldest = new Date(at.getTime() - IDEMPOTENCY_HOURS * 3_600_000);
  return idempotencyKeys
    .findOne({ _id: idOf(key), createdAt: { $gt: oldest } })
    .session(session)
    .lean();
}

export async function recordUseOfKey(
  { idempotencyKeys }: Database,
  { session, at }: UnitOfWork,
  key: ActionKey & ActionResult,
): Promise<void> {
  const { request, imageCredits } = key;
  await idempotencyKeys.updateOne(
    { _id: idOf(key) },
    { $set: { createdAt: at, request, imageCredits } },
    { session, upsert: true, ignoreUndefined: true },
  );
}
