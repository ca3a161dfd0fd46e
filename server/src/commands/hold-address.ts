import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { withLocks } from "@shared/node/locks.ts";
import type { AddressHoldRecord } from "@shared/node/models/identity.ts";
import { duplicateField } from "../database-errors.ts";
import { unavailable } from "../errors.ts";
import type { ServerDeps } from "../server-deps.ts";

/** Longer than any registration takes; the hold of a process that died ends then. */
const HOLD_MS = 60_000;
const PATIENCE_MS = 8_000;
const ASK_AGAIN_MS = 50;

type HoldDeps = Pick<ServerDeps, "database" | "background" | "now">;

/**
 * Runs `register` while nobody else, on any server, registers the same address. So each address gets one mail and
 * one account, and what a failed registration takes back cannot be what another one has just found.
 * @throws AppError unavailable if another registration goes on for too long
 */
export function whileHoldingAddress<Result>(
  deps: HoldDeps,
  email: string,
  register: () => Promise<Result>,
): Promise<Result> {
  const key = email.toLowerCase();
  return withLocks(deps.database.addressHolds, [key], async () => {
    const holder = randomUUID();
    await takeHold(deps, { key, holder });
    try {
      return await register();
    } finally {
      deps.background.run("giving back a held address", () =>
        deps.database.addressHolds.deleteOne({ _id: key, holder }),
      );
    }
  });
}

async function takeHold(deps: HoldDeps, hold: { key: string; holder: string }): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  while (!(await tryToHold(deps, hold))) {
    if (performance.now() > giveUpAt) throw unavailable();
    await delay(ASK_AGAIN_MS);
  }
}

/** Writes the hold unless there is a living one, which the unique id then refuses. */
async function tryToHold(
  { database, now }: HoldDeps,
  { key, holder }: { key: string; holder: string },
): Promise<boolean> {
  const at = now();
  const until = new Date(at.getTime() + HOLD_MS);
  const expired = { _id: key, until: { $lt: at } };
  const written: Pick<AddressHoldRecord, "holder" | "until"> = { holder, until };
  try {
    await database.addressHolds.updateOne(expired, { $set: written }, { upsert: true });
    return true;
  } catch (error) {
    if (duplicateField(error) === "_id") return false;
    throw error;
  }
}
