import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Settings } from "@shared/runtime/settings.ts";
import { type Db, MongoNetworkError, MongoServerError } from "mongodb";
import { z } from "zod";
import { CliError, type Command } from "../cli.ts";
import { tryLock } from "../process-lock.mjs";
import { SupervisedService } from "../services/supervised-service.ts";
import { createOrUpdate } from "./create-or-update.ts";
import { directClient, ensureMongod, REPLICA_SET, spawnMongod } from "./mongod.ts";

const DATABASE = "trading-signals";
const READY_TIMEOUT_MS = 60_000;

/** Enough for an earlier mongod that is still stopping: starts after 0, 0.5, 1.5, 3.5, 7.5 s. */
const MAX_FAILURES = 5;

/**
 * Starts a supervised mongod on a free port of this machine, as a replica set of one member, with its data in
 * `DATA_DIR/mongo`. It has one account, whose password is in the address, and new at each start.
 */
export async function startEmbeddedMongo(
  dataDir: string,
  { say, signal }: Pick<Command, "say" | "signal">,
): Promise<{ uri: string; service: SupervisedService }> {
  const { path: command } = await ensureMongod({ say });
  const port = await pickFreePort();
  const dbPath = join(dataDir, "mongo");
  const logFile = join(dataDir, "log", "mongod.log");
  mkdirSync(dbPath, { recursive: true });
  mkdirSync(dirname(logFile), { recursive: true });
  const { key, args: keyArguments } = makeKeyFile(dataDir);
  const gaveUp = new AbortController();
  const launch = () => {
    if (service.failures >= MAX_FAILURES) gaveUp.abort();
    const log = openSync(logFile, "a");
    const args = [...ARGUMENTS, ...keyArguments];
    const mongod = spawnMongod({ command, dbPath, port, args, log });
    closeSync(log);
    return mongod;
  };
  const service = new SupervisedService({ name: "database", launch, say });
  signal.throwIfAborted();
  rmSync(logFile, { force: true });
  service.start();
  try {
    const timeout = AbortSignal.timeout(READY_TIMEOUT_MS);
    const stop = AbortSignal.any([signal, gaveUp.signal, timeout]);
    return { service, uri: await becomePrimary(port, { key, signal: stop }) };
  } catch (cause) {
    await service.stop();
    signal.throwIfAborted();
    throw new CliError(`The database did not start; its log is ${logFile}.`, { cause });
  }
}

/** A new key for each start: nothing but this process and mongod needs it. */
function makeKeyFile(dataDir: string): { key: string; args: string[] } {
  const key = randomBytes(48).toString("base64");
  const file = join(dataDir, "mongo-key");
  writePrivately(file, key);
  return { key, args: [`--keyFile=${file}`, "--setParameter=enableLocalhostAuthBypass=false"] };
}

const PERMISSIONS_OF_OTHERS = 0o077;

/** @throws CliError if other users of this machine could read the file */
function writePrivately(file: string, text: string): void {
  // A file that exists would keep its permissions.
  rmSync(file, { force: true });
  writeFileSync(file, text, { mode: 0o600 });
  if (process.platform === "win32" || (statSync(file).mode & PERMISSIONS_OF_OTHERS) === 0) return;
  rmSync(file);
  throw new CliError(
    `DATA_DIR: the file system of ${dirname(file)} keeps no permissions, so that all users could read the database. Set DATA_DIR to a folder elsewhere.`,
  );
}

async function pickFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}

const ARGUMENTS = [
  "--wiredTigerCacheSizeGB=1",
  "--oplogSize=512",
  // No other member could take over, so there is nothing to wait for when stopping.
  "--setParameter=shutdownTimeoutMillisForSignaledShutdown=100",
];

const ACCOUNT = "signals";

/** What server, worker and the commands do. It cannot manage users. */
const ROLES = ["readWriteAnyDatabase", "dbAdminAnyDatabase", "clusterMonitor", "hostManager"];

/**
 * Initiates a new replica set, or gives an existing one its new address, waits until it takes writes, and gives its account
 * a new password.
 * @returns its address, with the password
 */
async function becomePrimary(
  port: number,
  { key, signal }: { key: string; signal: AbortSignal },
): Promise<string> {
  const client = directClient(port, key);
  signal.addEventListener("abort", () => void client.close());
  const host = `127.0.0.1:${port}`;
  const pwd = randomBytes(32).toString("base64url");
  try {
    const admin = client.db("admin");
    while (!(await isPrimary(admin, host))) await sleep(50, undefined, { signal });
    const mechanisms = ["SCRAM-SHA-256"];
    await createOrUpdate(admin, ["User", ACCOUNT], { pwd, roles: ROLES, mechanisms });
    return `mongodb://${ACCOUNT}:${pwd}@${host}/${DATABASE}?authSource=admin&replicaSet=${REPLICA_SET}`;
  } finally {
    await client.close();
  }
}

async function isPrimary(admin: Db, host: string): Promise<boolean> {
  try {
    await configure(admin, host);
    return (await admin.command({ hello: 1 })).isWritablePrimary === true;
  } catch (error) {
    // A member that finds itself at an address other than the stored one closes its connections.
    if (error instanceof MongoNetworkError) return false;
    // The stored configuration is still being read.
    if (error instanceof MongoServerError && error.code === ALREADY_INITIALIZED) return false;
    throw error;
  }
}

const ALREADY_INITIALIZED = 23;
const NOT_YET_INITIALIZED = 94;
const configSchema = z.object({
  config: z.looseObject({
    version: z.number(),
    members: z.array(z.looseObject({ host: z.string() })),
  }),
});

async function configure(admin: Db, host: string): Promise<void> {
  try {
    const { config } = configSchema.parse(await admin.command({ replSetGetConfig: 1 }));
    if (config.members.every((member) => member.host === host)) return;
    const members = config.members.map((member) => ({ ...member, host }));
    const replSetReconfig = { ...config, version: config.version + 1, members };
    await admin.command({ replSetReconfig, force: true });
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== NOT_YET_INITIALIZED) throw error;
    await admin.command({ replSetInitiate: { _id: REPLICA_SET, members: [{ _id: 0, host }] } });
  }
}

const addressFile = (dataDir: string): string => join(dataDir, "mongo-address");

/** Lets other commands on this machine find the embedded database, until the returned function is called. */
export function announceDatabase(dataDir: string, uri: string): () => void {
  writePrivately(addressFile(dataDir), uri);
  return () => rmSync(addressFile(dataDir), { force: true });
}

/** Works with the database in MONGODB_URI, or with the embedded one, which is started if the product is not running. */
export async function withDatabase<Result>(
  { MONGODB_URI, DATA_DIR }: Pick<Settings, "MONGODB_URI" | "DATA_DIR">,
  work: (uri: string) => Promise<Result>,
): Promise<Result> {
  if (MONGODB_URI) return work(MONGODB_URI);
  mkdirSync(DATA_DIR, { recursive: true });
  const release = await tryLock(`run ${realpathSync(DATA_DIR)}`);
  if (!release) return work(readAddress(DATA_DIR));
  try {
    const { signal } = new AbortController();
    const { uri, service } = await startEmbeddedMongo(DATA_DIR, { say: () => undefined, signal });
    try {
      return await work(uri);
    } finally {
      await service.stop();
    }
  } finally {
    await release();
  }
}

function readAddress(dataDir: string): string {
  try {
    return readFileSync(addressFile(dataDir), "utf8");
  } catch (cause) {
    throw new CliError(
      `The product is starting or stopping with the data in ${dataDir}: try again in a moment.`,
      { cause },
    );
  }
}
