import { type Database, nativeCollection } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { newSignalId } from "@shared/domain/queue-signal.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { createAdapter } from "@socket.io/redis-adapter";
import { Redis } from "ioredis";
import { Server } from "socket.io";

/** Name of the queue and of its only kind of job. */
export const SIGNALS_QUEUE = "signals";

/** BullMQ's advice for connections that wait: retry a command forever. */
export const redisOptions = {
  host: "127.0.0.1",
  port: Number(process.env.REDIS_PORT),
  maxRetriesPerRequest: null,
} as const;

const redis = new Redis(redisOptions);

/** Sockets that both processes reach through Redis. */
export const sockets = new Server({
  serveClient: false,
  adapter: createAdapter(redis, redis.duplicate()),
});

/** A write of one step, in the session of its transaction if it has one. */
export type Write = (options: { session?: UnitOfWork["session"] }) => Promise<unknown>;

interface Step {
  userId: UserRecord["_id"];
  writes: readonly Write[];
  name: string;
  data: unknown;
}

/** Stores a step with its event, under the product's write concern, and pushes the event to the user. */
export async function takeStep(database: Database, step: Step): Promise<void> {
  const { userId, name, data } = step;
  const stream = userStream(userId);
  const at = new Date();
  const seq = await redis.incr(stream);
  const event = { _id: newSignalId(), stream, seq, name, data, at };
  const insertEvent: Write = (options) =>
    nativeCollection(database.events).insertOne(event, options);
  await store(database, [...step.writes, insertEvent]);
  sockets.to(stream).emit(name, { stream: "user", seq, at: at.toISOString(), data });
}

/** Writes one after the other, as such builds mostly do, all together, or in a transaction, as the product does. */
async function store({ connection }: Database, writes: readonly Write[]): Promise<void> {
  const writeInTurn: Write = async (options) => {
    for (const write of writes) await write(options);
  };
  if (process.env.PEER_WRITES === "in turn") await writeInTurn({});
  else if (process.env.PEER_WRITES === "together") await Promise.all(writes.map((one) => one({})));
  else await connection.transaction((session) => writeInTurn({ session }));
}
