import type { ClientSession } from "mongoose";
import type { Database } from "../database.ts";
import type { SignalRecord } from "../models/signal.ts";
import { nativeCollection } from "../native-collection.ts";
import { SharedStep, type Some } from "../shared-step.ts";

/** The signal as the run has started it. */
export type SignalClaim = Omit<SignalRecord, "receipt">;

/** What the end of a run writes into its signal. */
type Ending = Pick<SignalRecord, "status" | "analysis" | "receipt" | "judgeAt"> & {
  finishedAt: Date;
  updatedAt: Date;
};

interface Finish {
  database: Database;
  claim: SignalClaim;
  ending: Ending;
}

/** Ends the runs of signals; gives null for those that another run has taken over. */
export const markingFinished = new SharedStep<Finish, SignalRecord | null>({
  forOne: markOne,
  forAll: markAll,
});

async function markOne(
  session: ClientSession,
  { database, claim, ending }: Finish,
): Promise<SignalRecord | null> {
  const { _id, revision } = claim;
  const { matchedCount } = await nativeCollection(database.signals).updateOne(
    { _id, status: "running", revision },
    { $set: ending },
    { session, ignoreUndefined: true },
  );
  return matchedCount === 1 ? { ...claim, ...ending } : null;
}

/** Two commands, however many they are: nobody can change a signal between them without this transaction failing. */
async function markAll(
  session: ClientSession,
  finishes: Some<Finish>,
): Promise<(SignalRecord | null)[]> {
  const [{ database }] = finishes;
  const signals = nativeCollection(database.signals);
  const ids = finishes.map(({ claim }) => claim._id);
  const running = await signals
    .find({ _id: { $in: ids }, status: "running" }, { session, projection: { revision: 1 } })
    .toArray();
  const revisions = new Map(running.map(({ _id, revision }) => [String(_id), revision]));
  const held = finishes.filter(({ claim }) => revisions.get(String(claim._id)) === claim.revision);
  const updates = held.map(({ claim: { _id }, ending }) => ({
    updateOne: { filter: { _id }, update: { $set: ending } },
  }));
  if (updates.length > 0) await signals.bulkWrite(updates, { session, ignoreUndefined: true });
  return finishes.map((finish) =>
    held.includes(finish) ? { ...finish.claim, ...finish.ending } : null,
  );
}
