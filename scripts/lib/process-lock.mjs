// @ts-check
import { createHash } from "node:crypto";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * A lock that one process of this machine holds at a time. It is a listening socket, so the system releases it when its
 * holder exits, however that happens.
 *
 * @param {string} name of what is locked, for example the absolute path of a folder
 * @returns {Promise<(() => Promise<void>) | undefined>} releases the lock; undefined if another process holds it
 */
export async function tryLock(name) {
  const address = addressOf(name);
  const release = await listen(address);
  if (release || !isFile(address) || (await isAnswering(address))) return release;
  rmSync(address, { force: true });
  return listen(address);
}

/**
 * Does the work while holding the lock. Waits as long as another process holds it.
 *
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @param {{ pollMs?: number, signal?: AbortSignal }} [options]
 * @returns {Promise<T>}
 */
export async function withLock(name, work, { pollMs = 200, signal } = {}) {
  let release = await tryLock(name);
  while (!release) {
    await sleep(pollMs, undefined, { signal });
    release = await tryLock(name);
  }
  try {
    return await work();
  } finally {
    await release();
  }
}

/** @param {string} name */
function addressOf(name) {
  const id = `ai-trading-signals-${createHash("sha256").update(name).digest("hex").slice(0, 24)}`;
  if (process.platform === "linux") return `\0${id}`;
  if (process.platform === "win32") return `\\\\.\\pipe\\${id}`;
  return join(tmpdir(), `${id}.sock`);
}

/** @param {string} address where sockets are files, a killed process leaves its own behind */
const isFile = (address) => !address.startsWith("\0") && !address.startsWith("\\");

/**
 * @param {string} address
 * @returns {Promise<(() => Promise<void>) | undefined>}
 */
function listen(address) {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", (error) => {
      if ("code" in error && error.code === "EADDRINUSE") resolve(undefined);
      else reject(error);
    });
    server.listen(address, () => {
      server.unref();
      resolve(() => new Promise((done) => server.close(() => done())));
    });
  });
}

/** @param {string} address */
async function isAnswering(address) {
  const socket = connect(address);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
