import { z } from "zod";

/** What a job carries. */
export const peerJobSchema = z.object({ signalId: z.string() });

/** Name of the queue and of its one kind of job. */
export const SIGNALS_QUEUE = "signals";

/**
 * How the writes of one step are made. `in-turn`: one after the other, as such builds mostly do; `together`: those that
 * do not need each other at once; `in-transactions`: all or none of them, as the product makes them.
 */
export const writesMade = process.env.PEER_WRITES;

/** BullMQ's advice for connections that wait: never give up on a command. */
export const redisOptions = {
  host: "127.0.0.1",
  port: Number(process.env.REDIS_PORT),
  maxRetriesPerRequest: null,
} as const;
