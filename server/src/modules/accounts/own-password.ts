import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { HOUR_MS } from "@shared/contract/constants.ts";
import type { Database } from "@shared/database/database.ts";
import type { UserRecord, WrongPassword } from "@shared/database/models/user.ts";
import { withKeys } from "@shared/runtime/keyed-mutex.ts";
import { rateLimited, unauthenticated, unavailable } from "../../http/errors.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { notifyOwner } from "./account-emails.ts";

/** Wrong own passwords of an account in an hour, over all calls that ask for it and all servers. */
const MAX_WRONG_PER_HOUR = 20;
const WRONG_BEFORE_EMAIL = 10;

/** The API promises its 503 within 10 s, and a check may take some seconds. */
const START_WITHIN_MS = 7_000;
/** For the end of attempts that other servers check. */
const MAX_WAIT_MS = 2_000;
const RETRY_INTERVAL_MS = 50;

/** A check whose server has stopped counts as wrong after this time. */
const MAX_CHECK_MS = 10_000;

type Owner = Pick<UserRecord, "_id" | "username" | "email">;

/**
 * Checks the password (and code) of a signed-in user, unless too many were wrong. Each attempt counts before it is checked,
 * by the database and its clock, and no longer if it was right.
 * @param attempt returns null if the password or the code is wrong
 * @throws AppError rate-limited
 */
export function checkOwnPassword<Result>(
  deps: ServerDeps,
  user: Owner,
  attempt: () => Promise<Result | null>,
): Promise<Result | null> {
  const startUntilMs = performance.now() + START_WITHIN_MS;
  // One after the other in each process: at most one of it waits for the end of others, and no user fills the queue of hashing.
  return withKeys(deps.database.users, [`own-password:${user._id}`], async () => {
    if (performance.now() > startUntilMs) throw unavailable();
    if (deps.settings.RATE_LIMIT === "off") return attempt();
    const { id, count } = await startAttempt(deps, user);
    let result: Result | null | undefined;
    try {
      result = await attempt();
    } finally {
      if (result === null) await endWrong(deps, user, id, count);
      else await forget(deps, user, id);
    }
    return result;
  });
}

/** Waits while attempts are being checked that may turn out to be right. */
async function startAttempt(
  { database }: Pick<ServerDeps, "database">,
  user: Owner,
): Promise<{ id: string; count: number }> {
  const id = randomUUID();
  const untilMs = performance.now() + MAX_WAIT_MS;
  while (performance.now() <= untilMs) {
    const counted = await countAttempt(database, user, id);
    if (counted.some((one) => one.id === id)) return { id, count: counted.length };
    const nowMs = database.now().getTime();
    const oldestMs = counted[0]?.at.getTime() ?? nowMs;
    const isOpen = counted.some((one) => one.isOpen && nowMs - one.at.getTime() < MAX_CHECK_MS);
    if (!isOpen) throw rateLimited(Math.max(1, Math.ceil((oldestMs + HOUR_MS - nowMs) / 1_000)));
    await setTimeout(RETRY_INTERVAL_MS);
  }
  throw unavailable();
}

const hourAgo = { $subtract: ["$$NOW", HOUR_MS] };

/** @returns the attempts of the last hour, without this one if there are too many */
async function countAttempt(
  { users }: Database,
  { _id }: Owner,
  id: string,
): Promise<WrongPassword[]> {
  const kept = { $ifNull: ["$wrongPasswords", []] };
  const recent = { $filter: { input: kept, cond: { $gt: ["$$this.at", hourAgo] } } };
  const isFull = { $gte: [{ $size: "$wrongPasswords" }, MAX_WRONG_PER_HOUR] };
  const withThis = { $concatArrays: ["$wrongPasswords", [{ id, at: "$$NOW", isOpen: true }]] };
  const user = await users
    .findOneAndUpdate(
      { _id },
      [
        { $set: { wrongPasswords: recent } },
        { $set: { wrongPasswords: { $cond: [isFull, "$wrongPasswords", withThis] } } },
      ],
      { projection: { wrongPasswords: 1 }, returnDocument: "after", updatePipeline: true },
    )
    .lean();
  if (!user) throw unauthenticated();
  return user.wrongPasswords ?? [];
}

/** Not a failure of the request: the attempt then counts as wrong for an hour. */
async function forget({ database, logger }: ServerDeps, { _id }: Owner, id: string): Promise<void> {
  await database.users
    .updateOne({ _id }, { $pull: { wrongPasswords: { id } } })
    .catch((error: unknown) => {
      logger.warn({ err: error }, "an attempt that was not wrong still counts as wrong");
    });
}

async function endWrong(deps: ServerDeps, user: Owner, id: string, count: number): Promise<void> {
  await deps.database.users.updateOne(
    { _id: user._id, "wrongPasswords.id": id },
    { $unset: { "wrongPasswords.$.isOpen": 1 } },
  );
  if (count >= WRONG_BEFORE_EMAIL) await emailOwner(deps, user);
}

/** Emails the owner, once an hour. */
async function emailOwner(deps: ServerDeps, user: Owner): Promise<void> {
  const { modifiedCount } = await deps.database.users.updateOne(
    { _id: user._id, $expr: { $lte: [{ $ifNull: ["$toldOfWrongPasswordsAt", null] }, hourAgo] } },
    [{ $set: { toldOfWrongPasswordsAt: "$$NOW" } }],
    { updatePipeline: true },
  );
  if (modifiedCount > 0) notifyOwner(deps, user, "wrong-passwords");
}
