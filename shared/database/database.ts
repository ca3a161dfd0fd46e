import type { Logger } from "@shared/runtime/logger.ts";
import { SettingsError } from "@shared/runtime/settings.ts";
import type { AnyBulkWriteOperation, ClientSession, Collection, Db, Document } from "mongodb";
import mongoose, { type Connection, type Model, mongo } from "mongoose";
import { z } from "zod";
import { DatabaseClock } from "./database-clock.ts";
import { migrate } from "./migrations.ts";
import { analystBenchModels } from "./models/analyst-bench.ts";
import { brandingModels } from "./models/branding.ts";
import { channelModels } from "./models/channel.ts";
import { creditModels } from "./models/credit-entry.ts";
import { dashboardTokenModels } from "./models/dashboard-token.ts";
import { economicCalendarModels } from "./models/economic-calendar.ts";
import { eventModels } from "./models/event.ts";
import { identityModels } from "./models/identity.ts";
import { jobModels } from "./models/job.ts";
import { leaseModels } from "./models/lease.ts";
import { ledgerModels } from "./models/ledger.ts";
import { aiUsageModels, analysisModels } from "./models/market-analysis.ts";
import { currentCandleModels, livePriceModels } from "./models/market-data.ts";
import { modelServerModels } from "./models/model-server.ts";
import { paymentModels, subscriptionModels } from "./models/payment.ts";
import { performanceModels } from "./models/performance.ts";
import { rateLimitModels } from "./models/rate-limit.ts";
import { schemaStateModels } from "./models/schema-state.ts";
import { securityLogModels } from "./models/security-log.ts";
import { signalModels, storedFileModels } from "./models/signal.ts";
import { telegramChannelModels } from "./models/telegram-channel.ts";
import { userModels } from "./models/user.ts";
import { watchlistModels } from "./models/watchlist.ts";
import { workerReportModels } from "./models/worker-reports.ts";

/**
 * An unreachable database is noticed after about the heartbeat interval and the connect timeout, and operations that wait
 * for it fail after the selection timeout: together within the 10 s in which the API promises its 503.
 */
const HEARTBEAT_INTERVAL_MS = 1_000;
const CONNECT_TIMEOUT_MS = 2_500;
const SERVER_SELECTION_TIMEOUT_MS = 3_000;

/** For a reply that never comes on a connection that stays open. */
const SOCKET_TIMEOUT_MS = 30_000;

const defineModels = (connection: Connection) => ({
  ...aiUsageModels(connection),
  ...analystBenchModels(connection),
  ...brandingModels(connection),
  ...channelModels(connection),
  ...telegramChannelModels(connection),
  ...currentCandleModels(connection),
  ...economicCalendarModels(connection),
  ...eventModels(connection),
  ...creditModels(connection),
  ...dashboardTokenModels(connection),
  ...identityModels(connection),
  ...rateLimitModels(connection),
  ...jobModels(connection),
  ...leaseModels(connection),
  ...ledgerModels(connection),
  ...livePriceModels(connection),
  ...analysisModels(connection),
  ...modelServerModels(connection),
  ...paymentModels(connection),
  ...performanceModels(connection),
  ...schemaStateModels(connection),
  ...securityLogModels(connection),
  ...signalModels(connection),
  ...storedFileModels(connection),
  ...subscriptionModels(connection),
  ...userModels(connection),
  ...watchlistModels(connection),
  ...workerReportModels(connection),
});

/**
 * Connects to MongoDB (a replica set), migrates a database of an earlier version, and creates missing collections and
 * indexes. Reconnects after an outage.
 * @param options.logger gets a line for each entry of the security log that this process adds
 */
export async function openDatabase(options: { uri: string; logger?: Logger }) {
  const connection = mongoose.createConnection(options.uri, {
    autoIndex: false,
    autoCreate: false,
    bufferCommands: false,
    maxPoolSize: 100,
    heartbeatFrequencyMS: HEARTBEAT_INTERVAL_MS,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    serverSelectionTimeoutMS: SERVER_SELECTION_TIMEOUT_MS,
    socketTimeoutMS: SOCKET_TIMEOUT_MS,
    writeConcern: { w: "majority" },
    readConcern: { level: "majority" },
  });
  const models = defineModels(connection);
  await connection.asPromise().catch(refuseStandalone);
  await assertReplicaSet(connection);
  try {
    const existing = await refuseFormerFormat(connection);
    await migrate(connection, nativeCollection(models.schemaStates));
    for (const model of Object.values(connection.models)) await createMissing(model, existing);
  } catch (error) {
    await connection.close();
    throw error;
  }
  const clock = await DatabaseClock.start({ readTime: () => readTime({ connection }) });
  return {
    connection,
    ...models,
    logger: options.logger,
    /** The time of the database, which all processes share. */
    now: clock.now,
    async close() {
      clock.stop();
      await connection.close();
    },
  };
}

/** What the driver reports if the set of the address has no member: a standalone server belongs to none. */
const noMemberSchema = z.object({
  reason: z.object({
    type: z.literal("ReplicaSetNoPrimary"),
    servers: z.map(z.string(), z.unknown()).refine(({ size }) => size === 0),
  }),
});

function refuseStandalone(error: unknown): never {
  if (noMemberSchema.safeParse(error).success) throw noReplicaSet();
  throw error;
}

const topologySchema = z.object({ setName: z.string().optional(), msg: z.string().optional() });

/** Transactions and change streams need a replica set, or a sharded cluster of them. */
async function assertReplicaSet(connection: Connection): Promise<void> {
  const { setName, msg } = topologySchema.parse(await nativeDb(connection).command({ hello: 1 }));
  if (setName !== undefined || msg === "isdbgrid") return;
  await connection.close();
  throw noReplicaSet();
}

const noReplicaSet = (): SettingsError =>
  new SettingsError(
    "MONGODB_URI: must be the address of a replica set. Start mongod with --replSet rs0 and run rs.initiate() once.",
  );

const UNAUTHORIZED = 13;
const indexKeySchema = z.record(z.string(), z.literal([1, -1]));

/**
 * Creates a missing collection with all its indexes by one command; mongoose sends one for each index. An account that may
 * not create a collection relies on others that may.
 */
async function createMissing(model: Model<unknown>, existing: ReadonlySet<string>): Promise<void> {
  const indexes = model.schema.indexes().map(([key, { unique, ...options }]) => ({
    ...options,
    key: indexKeySchema.parse(key),
    unique: unique === true,
  }));
  const { collectionName } = model.collection;
  try {
    if (indexes.length > 0) {
      await nativeDb(model.db).collection(collectionName).createIndexes(indexes);
    } else if (!existing.has(collectionName)) await model.createCollection();
  } catch (error) {
    if (error instanceof mongo.MongoServerError && error.code === UNAUTHORIZED) return;
    throw error;
  }
}

/** Refuses a database of version 0.1.0 or earlier, which cannot be migrated. @returns the names of its collections */
async function refuseFormerFormat(connection: Connection): Promise<Set<string>> {
  const db = nativeDb(connection);
  const collections = await db
    .listCollections({}, { nameOnly: true, authorizedCollections: true })
    .toArray();
  const names = new Set(collections.map(({ name }) => name));
  // Later versions kept the old log, and have subscriptions.
  const isFormer = names.has("audit_entries") && !names.has("billing_periods");
  const [oldest] = await db
    .collection("market_analyses")
    .find()
    .sort({ _id: 1 })
    .limit(1)
    .toArray();
  if (!isFormer && oldest?.receipt === undefined) return names;
  throw new Error(
    "The database was made by a former version and cannot be used. Use another MONGODB_URI, or delete DATA_DIR/mongo.",
  );
}

/** An open database: its connection and its models. */
export type Database = Awaited<ReturnType<typeof openDatabase>>;

const databases = new WeakMap<Connection, Db>();

/** The driver's view of a connection's database. */
export function nativeDb(connection: Connection): Db {
  const db = databases.get(connection) ?? connection.getClient().db(connection.name);
  databases.set(connection, db);
  return db;
}

const helloSchema = z.object({ localTime: z.date() });

/** Asks the database for its time. `now` of a database knows it without. */
export async function readTime({ connection }: Pick<Database, "connection">): Promise<Date> {
  return helloSchema.parse(await nativeDb(connection).command({ hello: 1 })).localTime;
}

const writeReplySchema = z.object({
  writeErrors: z.array(z.object({ errmsg: z.string() })).default([]),
});

/**
 * Runs an insert or update command in a transaction. The driver's bulk writes are several times slower for few documents.
 * @throws an Error if a document could not be written
 */
export async function runWriteCommand(
  { connection }: Database,
  session: ClientSession,
  command: Document,
): Promise<void> {
  const reply = await nativeDb(connection).command(command, { session, ignoreUndefined: true });
  const [error] = writeReplySchema.parse(reply).writeErrors;
  if (error) throw new Error(`A document could not be written: ${error.errmsg}`);
}

/** Reads one document after the other. Unlike mongoose, it closes the cursor if its reader stops early. */
export async function* readEach<Stored>(query: {
  cursor(): AsyncIterable<Stored> & { close(): Promise<void> };
}): AsyncGenerator<Stored> {
  const cursor = query.cursor();
  try {
    for await (const document of cursor) yield document;
  } finally {
    await cursor.close();
  }
}

/**
 * Changes many documents in any order, without the casts of mongoose: it looks up each field of a nested document in the
 * schema, which takes longer than the write.
 */
export const bulkUpdate = <Stored extends Document>(
  model: Model<Stored>,
  operations: AnyBulkWriteOperation<Stored>[],
  session?: ClientSession,
): Promise<{ matchedCount: number }> =>
  nativeCollection(model).bulkWrite(operations, {
    ordered: false,
    ignoreUndefined: true,
    ...(session && { session }),
  });

/** The driver's collection of a model, for the most frequent commands. Used in `shared/database`, `shared/outbox` and `shared/work` only. */
export const nativeCollection = <Stored extends Document>({
  db,
  collection,
}: Model<Stored>): Collection<Stored> => nativeDb(db).collection<Stored>(collection.collectionName);
