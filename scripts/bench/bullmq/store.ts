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

/** A write of one step, under the session of its transaction if it has one. */
export type Write = (options: { session?: UnitOfWork["session"] }) => Promise<unknown>;

/** One step of a signal: what is stored of it, and what is told. */
interface Step {
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

/** What a job carries. */
export const peerJobSchema = z.object({ signalId: z.string() });

/** Name of the queue and of its one kind of job. */
export const SIGNALS_QUEUE = "signals";

/**
 * How the writes of one step are made. `in-turn`: one after the other, as such builds mostly do; `together`: those that
 * do not need each other at once; `in-transactions`: all or none of them, as the product makes them.
 */
const writesMade = process.env.PEER_WRITES;

/** BullMQ's advice for connections that wait: never give up on a command. */
export const redisOptions = {
  host: "127.0.0.1",
  port: Number(process.env.REDIS_PORT),
  maxRetriesPerRequest: null,
} as const;

/** Sockets that all processes reach through Redis; without `http` a process only sends. */
export function openPush(http?: HttpServer) {
  const publishing = new Redis(redisOptions);
  const subscribed = publishing.duplicate();
  const io = new Server({ serveClient: false, adapter: createAdapter(publishing, subscribed) });
  if (http) io.attach(http);
  return {
    io,
    redis: publishing,
    async close() {
      await io.close();
      publishing.disconnect();
      subscribed.disconnect();
    },
  };
}

export type Push = ReturnType<typeof openPush>;
