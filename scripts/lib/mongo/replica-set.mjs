// @ts-check
import { setTimeout as sleep } from "node:timers/promises";
import { MongoClient, MongoServerError } from "mongodb";

export const REPLICA_SET = "rs0";
const NOT_YET_INITIALIZED = 94;
const POLL_MS = 50;

/**
 * Makes the mongod on this port the primary of its replica set: a new one is initiated; one whose
 * data were used on another port is told its new address.
 *
 * @param {{ port: number, signal: AbortSignal, isHopeless: () => boolean }} options
 */
export async function becomePrimary({ port, signal, isHopeless }) {
  const client = await connect({ port, signal, isHopeless });
  try {
    const admin = client.db("admin");
    await configure(admin, `127.0.0.1:${port}`);
    while (!(await admin.command({ hello: 1 })).isWritablePrimary) {
      await sleep(POLL_MS, undefined, { signal });
    }
  } finally {
    await client.close();
  }
}

/** @param {{ port: number, signal: AbortSignal, isHopeless: () => boolean }} options */
async function connect({ port, signal, isHopeless }) {
  for (;;) {
    const client = new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, {
      serverSelectionTimeoutMS: 1_000,
    });
    try {
      return await client.connect();
    } catch (error) {
      await client.close();
      if (isHopeless()) throw error;
      await sleep(POLL_MS, undefined, { signal });
    }
  }
}

/**
 * @param {import("mongodb").Db} admin
 * @param {string} host
 */
async function configure(admin, host) {
  const config = await readConfig(admin);
  if (!config) {
    await admin.command({
      replSetInitiate: { _id: REPLICA_SET, members: [{ _id: 0, host }] },
    });
    return;
  }
  const [member] = config.members;
  if (member?.host === host) return;
  await admin.command({
    replSetReconfig: { ...config, version: config.version + 1, members: [{ ...member, host }] },
    force: true,
  });
}

/** @param {import("mongodb").Db} admin */
async function readConfig(admin) {
  try {
    const { config } = await admin.command({ replSetGetConfig: 1 });
    return config;
  } catch (error) {
    if (error instanceof MongoServerError && error.code === NOT_YET_INITIALIZED) return;
    throw error;
  }
}

/**
 * How every mongod of the project runs: docker-compose.yml says the same, and README asks for it where a database is
 * given.
 *
 * - What a killed process had locked is free again after 10 s; MongoDB's own default is 60.
 * - What was changed is kept for 10 s beside what it has become, and not for five minutes: a queue's index would hold
 *   all jobs of that time, and every claim pass by them. Nothing here reads the past.
 */
export const MONGOD_PARAMETERS = Object.freeze([
  ...["--setParameter", "transactionLifetimeLimitSeconds=10"],
  ...["--setParameter", "minSnapshotHistoryWindowInSeconds=10"],
]);
