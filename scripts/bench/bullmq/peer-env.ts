/** Name of the queue and of its one kind of job. */
export const SIGNALS_QUEUE = "signals";

/**
 * How the writes of one step are made: one after the other, as such builds mostly do, or those that do not need each
 * other at once.
 */
export const writesTogether = process.env.PEER_WRITES === "together";

/** BullMQ's advice for connections that wait: never give up on a command. */
export const redisOptions = {
  host: "127.0.0.1",
  port: Number(process.env.REDIS_PORT),
  maxRetriesPerRequest: null,
} as const;
