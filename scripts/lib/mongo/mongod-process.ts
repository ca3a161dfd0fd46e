import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { MongoClient } from "mongodb";

export const REPLICA_SET = "rs0";

/**
 * Parameters of every mongod of the project, as in docker-compose.yml and README.
 *
 * - Locks of a killed client are released after 10 s instead of 60.
 * - Old versions of documents are kept for 10 s instead of 300: the queue's index would hold all jobs of that time, and
 *   every claim would scan them. Nothing reads the past.
 */
export const MONGOD_PARAMETERS = [
  ...["--setParameter", "transactionLifetimeLimitSeconds=10"],
  ...["--setParameter", "minSnapshotHistoryWindowInSeconds=10"],
];

const GUARD = fileURLToPath(new URL("mongod-guard.mjs", import.meta.url));

/**
 * Starts a mongod that stops when this process has exited. It has a session of its own, so that a Ctrl-C in the terminal
 * does not reach it before the services that still need it have stopped.
 */
export function spawnMongod(options: {
  command: string;
  dbPath: string;
  port: number;
  args: readonly string[];
  /** File descriptor for its log. */
  log?: number;
}): ChildProcess {
  const { command, dbPath, port, args, log = "ignore" } = options;
  mkdirSync(dbPath, { recursive: true });
  const allArgs = [
    ...["--dbpath", dbPath, "--port", String(port), "--bind_ip", "127.0.0.1"],
    ...["--replSet", REPLICA_SET, "--storageEngine", "wiredTiger"],
    ...(process.platform === "win32" ? [] : ["--nounixsocket"]),
    ...MONGOD_PARAMETERS,
    ...args,
  ];
  const session = { detached: true, windowsHide: true };
  const mongod = spawn(command, allArgs, { ...session, stdio: ["ignore", log, log] });
  if (mongod.pid === undefined) return mongod;
  const guard = spawn(process.execPath, [GUARD, String(mongod.pid)], {
    ...session,
    stdio: ["pipe", "ignore", "ignore"],
  });
  mongod.once("exit", () => guard.kill("SIGKILL"));
  return mongod;
}

const READY_TIMEOUT_MS = 60_000;

/** A client of one member, whatever its state. Its first command waits until the member answers. */
export function directClient(port: number): MongoClient {
  return new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, {
    serverSelectionTimeoutMS: READY_TIMEOUT_MS,
    minHeartbeatFrequencyMS: 50,
  });
}
