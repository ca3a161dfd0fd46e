import type { Database } from "@shared/node/database.ts";
import type { UserRecord } from "@shared/node/models/user.ts";
import { nativeCollection } from "@shared/node/native-collection.ts";
import { newSignalId } from "@shared/node/signals/queue-signal.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { writesMade } from "./peer-env.ts";
import type { Push } from "./peer-push.ts";

/** A write of one step, under the session of its transaction if it has one. */
export type Write = (options: { session?: UnitOfWork["session"] }) => Promise<unknown>;

/** One step of a signal: what is stored of it, and what is told. */
export interface Step {
  userId: UserRecord["_id"];
  /** The step's own writes, on disk at the majority when they are done. */
  writes: readonly Write[];
  name: string;
  data: unknown;
}

/**
 * Stores a step with its event and pushes that to the user's room. These are the product's documents under the
 * product's write concern; but in transactions, each for itself: a death between two of them leaves one without the
 * other.
 */
export async function takeStep(
  { database, push }: { database: Database; push: Push },
  { userId, writes, name, data }: Step,
): Promise<void> {
  const stream = userStream(userId);
  const at = new Date();
  const seq = await push.redis.incr(stream);
  const event = { _id: newSignalId(), stream, seq, name, data, at };
  const all: Write[] = [
    ...writes,
    (options) => nativeCollection(database.events).insertOne(event, options),
  ];
  if (writesMade === "together") await Promise.all(all.map((write) => write({})));
  else if (writesMade === "in-turn") await inTurn(all, {});
  else await inTransaction(database, all);
  push.io.to(stream).emit(name, { stream: "user", seq, at: at.toISOString(), data });
}

async function inTurn(writes: readonly Write[], options: Parameters<Write>[0]): Promise<void> {
  for (const write of writes) await write(options);
}

function inTransaction({ connection }: Database, writes: readonly Write[]): Promise<void> {
  return connection
    .getClient()
    .withSession((session) => session.withTransaction(() => inTurn(writes, { session })));
}
