// @ts-check
import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * A lock that one process of this machine holds at a time. It is a listening socket, so the system
 * itself gives it back when its holder ends, however it ends: it can never be stale.
 *
 * @param {string} name what is locked, for example the absolute path of a folder
 * @returns {Promise<(() => Promise<void>) | undefined>} releases the lock; undefined if another process holds it
 */
export async function tryLock(name) {
  const address = addressOf(name);
  const held = await listen(address);
  if (held) return held;
  if (!isFile(address) || (await isAnswering(address))) return;
  rmSync(address, { force: true });
  return listen(address);
}

/**
 * Does the work while holding the lock, waiting for it as long as another process has it.
 *
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @param {{ pollMs?: number, signal?: AbortSignal }} [options]
 * @returns {Promise<T>}
 */
export async function withLock(name, work, { pollMs = 200, signal } = {}) {
  for (;;) {
    const release = await tryLock(name);
    if (!release) {
      await sleep(pollMs, undefined, { signal });
      continue;
    }
    try {
      return await work();
    } finally {
      await release();
    }
  }
}

/** @param {string} name */
function addressOf(name) {
  const id = `ai-trading-signals-${createHash("sha256").update(name).digest("hex").slice(0, 24)}`;
  if (process.platform === "linux") return `\0${id}`;
  if (process.platform === "win32") return `\\\\.\\pipe\\${id}`;
  return join(tmpdir(), `${id}.sock`);
}

/**
 * Only where sockets are files can one be left behind by a process that was killed.
 *
 * @param {string} address
 */
function isFile(address) {
  return !address.startsWith("\0") && !address.startsWith("\\");
}

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

/**
 * @param {string} address
 * @returns {Promise<boolean>}
 */
function isAnswering(address) {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
