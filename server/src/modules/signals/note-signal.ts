import type { UserRecord } from "@shared/database/models/user.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { findSignal, signalNotFound } from "./queries.ts";

/** Stores what a user writes on their own signal; an empty note deletes it. @throws AppError not-found */
export async function noteSignal(
  deps: ServerDeps,
  user: Pick<UserRecord, "_id">,
  id: unknown,
  note: string,
): Promise<{ note: string }> {
  const { _id } = await findSignal(deps, user, id);
  const { matchedCount } = await deps.database.signals.updateOne(
    { _id, userId: user._id },
    note === "" ? { $unset: { note: 1 } } : { $set: { note } },
  );
  if (matchedCount === 0) throw signalNotFound();
  return { note };
}
