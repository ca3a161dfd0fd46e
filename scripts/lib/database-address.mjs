// @ts-check
import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startEmbeddedMongo } from "./embedded-mongo.mjs";
import { PlainError } from "./plain-error.mjs";
import { tryLock } from "./process-lock.mjs";

/** @typedef {import("../../shared/node/settings.ts").Settings} Settings */

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
    throw new PlainError(message, { cause: error });
  }
}
