import type { Database } from "@shared/node/database.ts";
import { userStream } from "@shared/node/event-log.ts";
import type { UserRecord } from "@shared/node/models/user.ts";
import { newSignalId } from "@shared/node/signals/signal-transitions.ts";
import { writesTogether } from "./peer-env.ts";
import type { Push } from "./peer-push.ts";

/** One step of a signal: what is stored of it, and what is told. */
export interface Step {
  userId: UserRecord["_id"];
  /** The step's own writes; each waits until the majority has it on disk. */
  writes: readonly (() => Promise<unknown>)[];
  name: string;
  data: unknown;
}

/**
 * Stores a step with its event and pushes that to the user's room. These are the product's documents under the
 * product's write concern, but each for itself: a death between two of them leaves one without the other.
 */
export async function takeStep(
  { database, push }: { database: Database; push: Push },
  { userId, writes, name, data }: Step,
): Promise<void> {
  const stream = userStream(userId);
  const at = new Date();
  const seq = await push.redis.incr(stream);
  const event = { _id: newSignalId(), stream, seq, name, data, at };
  const all = [...writes, () => database.events.collection.insertOne(event)];
  if (writesTogether) await Promise.all(all.map((write) => write()));
  else for (const write of all) await write();
  push.io.to(stream).emit(name, { stream: "user", seq, at: at.toISOString(), data });
}
