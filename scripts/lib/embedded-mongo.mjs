// @ts-check
import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureMongod } from "./ensure-mongod.mjs";
import { lastMongodError } from "./mongod-log.mjs";
import { MONGOD_PARAMETERS } from "./mongod-parameters.mjs";
import { PlainError } from "./plain-error.mjs";
import { pickFreePort } from "./ports.mjs";
import { becomePrimary, REPLICA_SET } from "./replica-set.mjs";
import { SupervisedPart } from "./supervised-part.mjs";

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
 * @returns {Promise<{ uri: string, part: SupervisedPart }>} the part is started
 */
export async function startEmbeddedMongo({ dataDir, say, signal }) {
  const mongod = await ensureMongod({ say });
  const port = await pickFreePort();
  const dbPath = join(dataDir, "mongo");
  const logFile = join(dataDir, "log", "mongod.log");
  mkdirSync(dbPath, { recursive: true });
  mkdirSync(dirname(logFile), { recursive: true });
  const args = mongodArguments({ dbPath, port });
  const part = new SupervisedPart({
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
    throw new PlainError(`The database did not start: ${reason} (log: ${logFile})`, {
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
