import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Settings } from "@shared/runtime/settings.ts";
import { type Db, MongoServerError } from "mongodb";
import { z } from "zod";
import { CliError } from "../cli.ts";
import { tryLock } from "../process-lock.mjs";
import { pickFreePort } from "../services/ports.ts";
import { SupervisedService } from "../services/supervised-service.ts";
import { ensureMongod } from "./ensure-mongod.ts";
import { directClient, REPLICA_SET, spawnMongod } from "./mongod-process.ts";

const DATABASE = "trading-signals";
const READY_TIMEOUT_MS = 60_000;

/** Enough for an earlier mongod that is still stopping: starts after 0, 0.5, 1.5, 3.5, 7.5 s. */
const MAX_FAILURES = 5;

/**
 * Starts a supervised mongod as a replica set of one member, with its data in `DATA_DIR/mongo`. It listens on this machine
 * only, on another free port each time.
 */
export async function startEmbeddedMongo({
  dataDir,
  say = () => undefined,
  signal = new AbortController().signal,
}: {
  dataDir: string;
  say?: (line: string) => void;
  signal?: AbortSignal;
}): Promise<{ uri: string; service: SupervisedService }> {
  const { path: command } = await ensureMongod({ say });
  const port = await pickFreePort();
  const dbPath = join(dataDir, "mongo");
  const logFile = join(dataDir, "log", "mongod.log");
  mkdirSync(dbPath, { recursive: true });
  mkdirSync(dirname(logFile), { recursive: true });
  const gaveUp = new AbortController();
  const launch = () => {
    if (service.failures >= MAX_FAILURES) gaveUp.abort();
    const log = openSync(logFile, "a");
    const mongod = spawnMongod({ command, dbPath, port, args: ARGUMENTS, log });
    closeSync(log);
    return mongod;
  };
  const service = new SupervisedService({ name: "database", launch, say });
  signal.throwIfAborted();
  rmSync(logFile, { force: true });
  service.start();
  try {
    const timeout = AbortSignal.timeout(READY_TIMEOUT_MS);
    await becomePrimary(port, AbortSignal.any([signal, gaveUp.signal, timeout]));
  } catch (cause) {
    await service.stop();
    signal.throwIfAborted();
    throw new CliError(`The database did not start; its log is ${logFile}.`, { cause });
  }
  return { service, uri: `mongodb://127.0.0.1:${port}/${DATABASE}?replicaSet=${REPLICA_SET}` };
}

const ARGUMENTS = [
  ...["--wiredTigerCacheSizeGB", "1", "--oplogSize", "512"],
  // No other member could take over, so there is nothing to wait for when stopping.
  ...["--setParameter", "shutdownTimeoutMillisForSignaledShutdown=100"],
];

/** Initiates a new replica set, or gives an existing one its new address, and waits until it takes writes. */
async function becomePrimary(port: number, signal: AbortSignal): Promise<void> {
  const client = directClient(port);
  signal.addEventListener("abort", () => void client.close());
  try {
    const admin = client.db("admin");
    await configure(admin, `127.0.0.1:${port}`);
    while (!(await admin.command({ hello: 1 })).isWritablePrimary) {
      await sleep(50, undefined, { signal });
    }
  } finally {
    await client.close();
  }
}

const NOT_YET_INITIALIZED = 94;
const configSchema = z.object({
  config: z.looseObject({ version: z.number(), members: z.array(z.looseObject({})) }),
});

async function configure(admin: Db, host: string): Promise<void> {
  try {
    const { config } = configSchema.parse(await admin.command({ replSetGetConfig: 1 }));
    const members = config.members.map((member) => ({ ...member, host }));
    const replSetReconfig = { ...config, version: config.version + 1, members };
    await admin.command({ replSetReconfig, force: true });
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== NOT_YET_INITIALIZED) throw error;
    await admin.command({ replSetInitiate: { _id: REPLICA_SET, members: [{ _id: 0, host }] } });
  }
}

const addressFile = (dataDir: string): string => join(dataDir, "mongo-address");

/**
 * Lets other commands on this machine find the embedded database.
 * @returns withdraws the address
 */
export function announceDatabase(dataDir: string, uri: string): () => void {
  writeFileSync(addressFile(dataDir), uri, { mode: 0o600 });
  return () => rmSync(addressFile(dataDir), { force: true });
}

/**
 * Works with the product's database, whether the product is running or not: the one in MONGODB_URI, the embedded one of
 * the running product, or the embedded one, started for this.
 */
export async function withDatabase<Result>(
  { MONGODB_URI, DATA_DIR }: Pick<Settings, "MONGODB_URI" | "DATA_DIR">,
  work: (uri: string) => Promise<Result>,
): Promise<Result> {
  if (MONGODB_URI) return work(MONGODB_URI);
  mkdirSync(DATA_DIR, { recursive: true });
  const release = await tryLock(`run ${realpathSync(DATA_DIR)}`);
  if (!release) return work(readAddress(DATA_DIR));
  try {
    const { uri, service } = await startEmbeddedMongo({ dataDir: DATA_DIR });
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
