import type { ClientSession } from "mongoose";
import type { Database } from "../database.ts";
import { type SignalRecord, UNFINISHED } from "../models/signal.ts";
import { nativeCollection } from "../native-collection.ts";
import { SharedStep, type Some } from "../shared-step.ts";

/** What a run has to know of a signal to begin it. */
export interface SignalOrigin extends Pick<SignalRecord, "_id" | "userId"> {
  requestId?: string | undefined;
  /** Where its user's stream stood when it was queued, if nothing else was under way there. */
  streamSeq?: number | undefined;
}

interface Start {
  database: Database;
  origin: SignalOrigin;
  at: Date;
}

/** Marks signals as running, each with a new revision; gives null for those that are finished or gone. */
export const markingStarted = new SharedStep<Start, SignalRecord | null>({
  forOne: markOne,
  forAll: markAll,
});

async function markOne(
  session: ClientSession,
  { database, origin, at }: Start,
): Promise<SignalRecord | null> {
  const { _id, userId } = origin;
  return nativeCollection(database.signals).findOneAndUpdate(
    { _id, userId, ...UNFINISHED },
    runningSince(at),
    { session, returnDocument: "after" },
  );
}

/** Two commands, however many they are. A signal that is asked for twice goes to the first that asks. */
async function markAll(
  session: ClientSession,
  starts: Some<Start>,
): Promise<(SignalRecord | null)[]> {
  const [{ database, at }] = starts;
  const signals = nativeCollection(database.signals);
  const wanted = { _id: { $in: starts.map(({ origin }) => origin._id) }, ...UNFINISHED };
  await signals.updateMany(wanted, runningSince(at), { session });
  const marked = await signals.find(wanted, { session }).toArray();
  const byId = new Map(marked.map((signal) => [String(signal._id), signal]));
  return starts.map(({ origin }) => {
    const id = String(origin._id);
    const signal = byId.get(id);
    byId.delete(id);
    if (signal && !signal.userId.equals(origin.userId)) throw new Error("another user's signal");
    return signal ?? null;
  });
}

const runningSince = (at: Date) => ({
  $set: { status: "running" as const, startedAt: at, updatedAt: at },
  $inc: { revision: 1 },
});
