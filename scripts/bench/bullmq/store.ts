import type { Server as HttpServer } from "node:http";
import { type Database, nativeCollection } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { newSignalId } from "@shared/domain/queue-signal.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { createAdapter } from "@socket.io/redis-adapter";
import { Redis } from "ioredis";
import { Server } from "socket.io";
import { z } from "zod";

/** Name of the queue and of its only kind of job. */
export const SIGNALS_QUEUE = "signals";

export const jobSchema = z.object({ signalId: z.string() });

/** BullMQ's advice for connections that wait: retry a command forever. */
export const redisOptions = {
  host: "127.0.0.1",
  port: Number(process.env.REDIS_PORT),
  maxRetriesPerRequest: null,
} as const;

/**
 * Sends writes `in-turn`: one after the other, as such builds mostly do; `together`: all at once; or `in-transactions`: all or
 * none of a step, as the product does.
 */
const writeMode = process.env.PEER_WRITES;

/** Sockets that all processes reach through Redis; without `http`, a process only sends. */
export function openPush(http?: HttpServer) {
  const redis = new Redis(redisOptions);
  const subscribed = redis.duplicate();
  const io = new Server({ serveClient: false, adapter: createAdapter(redis, subscribed) });
  if (http) io.attach(http);
  return {
    io,
    redis,
    async close() {
      await io.close();
      redis.disconnect();
      subscribed.disconnect();
    },
  };
}

export interface Stores {
  database: Database;
  push: ReturnType<typeof openPush>;
}

/** A write of one step, in the session of its transaction if it has one. */
export type Write = (options: { session?: UnitOfWork["session"] }) => Promise<unknown>;

interface Step {
  userId: UserRecord["_id"];
  writes: readonly Write[];
  name: string;
  data: unknown;
}

/** Stores a step with its event, under the product's write concern, and pushes the event to the user. */
export async function takeStep({ database, push }: Stores, step: Step): Promise<void> {
  const { userId, name, data } = step;
  const stream = userStream(userId);
  const at = new Date();
  const seq = await push.redis.incr(stream);
  const event = { _id: newSignalId(), stream, seq, name, data, at };
  const writes: Write[] = [
    ...step.writes,
    (options) => nativeCollection(database.events).insertOne(event, options),
  ];
  const writeInTurn: Write = async (options) => {
    for (const write of writes) await write(options);
  };
  if (writeMode === "together") await Promise.all(writes.map((write) => write({})));
  else if (writeMode === "in-turn") await writeInTurn({});
  else await database.connection.transaction((session) => writeInTurn({ session }));
  push.io.to(stream).emit(name, { stream: "user", seq, at: at.toISOString(), data });
}
