// @ts-check
import { spawn } from "node:child_process";
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
import { fileURLToPath } from "node:url";
import { CliError } from "../cli.mjs";
import { readIfPresent } from "../files.mjs";
import { tryLock } from "../process-lock.mjs";
import { pickFreePort } from "../services/ports.mjs";
import { SupervisedService } from "../services/supervised-service.mjs";
import { ensureMongod } from "./ensure-mongod.mjs";
import { becomePrimary, MONGOD_PARAMETERS, REPLICA_SET } from "./replica-set.mjs";

const DATABASE = "trading-signals";
const GUARD = fileURLToPath(new URL("mongod-guard.mjs", import.meta.url));
const READY_TIMEOUT_MS = 60_000;

/** Enough for a first mongod that is still on its way out: starts after 0, 0.5, 1.5, 3.5, 7.5 s. */
const MOST_FAILURES = 5;

/**
 * A mongod of our own as a replica set of one member, with its data kept in `DATA_DIR/mongo`. It
 * listens on this machine only, on another free port each time.
 *
 * @param {{ dataDir: string, say: (line: string) => void, signal: AbortSignal }} options
 * @returns {Promise<{ uri: string, part: SupervisedService }>} the part is started
 */
export async function startEmbeddedMongo({ dataDir, say, signal }) {
  const mongod = await ensureMongod({ say });
  const port = await pickFreePort();
  const dbPath = join(dataDir, "mongo");
  const logFile = join(dataDir, "log", "mongod.log");
  mkdirSync(dbPath, { recursive: true });
  mkdirSync(dirname(logFile), { recursive: true });
  const args = mongodArguments({ dbPath, port });
  const part = new SupervisedService({
    name: "database",
    launch: () => spawnGuarded({ command: mongod.path, args, logFile }),
    say,
  });
  signal.throwIfAborted();
  closeSync(openSync(logFile, "w"));
  part.start();
  try {
    const giveUp = AbortSignal.any([signal, AbortSignal.timeout(READY_TIMEOUT_MS)]);
    await becomePrimary({ port, signal: giveUp, isHopeless: () => part.failures >= MOST_FAILURES });
  } catch (error) {
    await part.stop();
    signal.throwIfAborted();
    const reason = lastMongodError(logFile) ?? "no reason given";
    throw new CliError(`The database did not start: ${reason} (log: ${logFile})`, {
      cause: error,
    });
  }
  return { part, uri: `mongodb://127.0.0.1:${port}/${DATABASE}?replicaSet=${REPLICA_SET}` };
}

/** @param {{ dbPath: string, port: number }} options */
function mongodArguments({ dbPath, port }) {
  return [
    ...["--dbpath", dbPath, "--port", String(port), "--bind_ip", "127.0.0.1"],
    ...["--replSet", REPLICA_SET, "--storageEngine", "wiredTiger"],
    ...(process.platform === "win32" ? [] : ["--nounixsocket"]),
    ...["--wiredTigerCacheSizeGB", "1", "--oplogSize", "512"],
    // No other member could take over, so there is nothing to wait for when stopping.
    ...["--setParameter", "shutdownTimeoutMillisForSignaledShutdown=100"],
    ...MONGOD_PARAMETERS,
  ];
}

/**
 * Both processes live in sessions of their own, so that a Ctrl-C in the terminal does not reach
 * them before the parts that still need the database have stopped.
 *
 * @param {{ command: string, args: string[], logFile: string }} options
 */
function spawnGuarded({ command, args, logFile }) {
  const log = openSync(logFile, "a");
  const mongod = spawn(command, args, {
    detached: true,
    windowsHide: true,
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  if (mongod.pid === undefined) return mongod;
  const guard = spawn(process.execPath, [GUARD, String(mongod.pid)], {
    detached: true,
    windowsHide: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  mongod.once("exit", () => guard.kill("SIGKILL"));
  return mongod;
}

/** Severities of mongod's log: fatal and error. */
const GRAVE = new Set(["F", "E"]);

/**
 * The last grave entry of a mongod's log, in its own words.
 *
 * @param {string} logFile
 * @returns {string | undefined}
 */
export function lastMongodError(logFile) {
  const lines = readIfPresent(logFile)?.trim().split("\n") ?? [];
  const entry = lines.map(parseEntry).findLast((line) => GRAVE.has(line?.s));
  if (!entry) return;
  const detail = entry.attr?.error?.errmsg ?? entry.attr?.error ?? entry.attr?.msg;
  return typeof detail === "string" ? `${entry.msg}: ${detail}` : entry.msg;
}

/** @param {string} line */
function parseEntry(line) {
  try {
    return JSON.parse(line);
  } catch {
    // A line that is not JSON comes from the system, for example from the dynamic linker.
    return;
  }
}

/** @typedef {import("../../../shared/runtime/settings.ts").Settings} Settings */

const silently = () => undefined;

/** @param {string} dataDir */
const addressFile = (dataDir) => join(dataDir, "mongo-address");

/**
 * Tells other commands on this machine where the embedded database listens.
 *
 * @param {string} dataDir
 * @param {string} uri
 * @returns {() => void} takes it back
 */
export function announceDatabase(dataDir, uri) {
  writeFileSync(addressFile(dataDir), uri, { mode: 0o600 });
  return () => rmSync(addressFile(dataDir), { force: true });
}

/**
 * Does something with the product's database, whether the product is running or not: the one in
 * MONGODB_URI; the embedded one of a running product; or the embedded one, started for this.
 *
 * @template T
 * @param {Pick<Settings, "MONGODB_URI" | "DATA_DIR">} settings
 * @param {(uri: string) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withDatabase({ MONGODB_URI, DATA_DIR }, work) {
  if (MONGODB_URI) return work(MONGODB_URI);
  mkdirSync(DATA_DIR, { recursive: true });
  const release = await tryLock(`run ${realpathSync(DATA_DIR)}`);
  if (!release) return work(readAddress(DATA_DIR));
  const { signal } = new AbortController();
  try {
    const { uri, part } = await startEmbeddedMongo({ dataDir: DATA_DIR, say: silently, signal });
    try {
      return await work(uri);
    } finally {
      await part.stop();
    }
  } finally {
    await release();
  }
}

/** @param {string} dataDir */
function readAddress(dataDir) {
  try {
    return readFileSync(addressFile(dataDir), "utf8");
  } catch (error) {
    const message = `The product is starting or stopping with the data in ${dataDir}: try again in a moment.`;
    throw new CliError(message, { cause: error });
  }
}
