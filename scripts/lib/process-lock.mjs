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
 * holder exits. Gives what releases the lock, or undefined if another process holds it.
 * @param {string} name of what is locked, for example the absolute path of a folder
 */
export async function tryLock(name) {
  const address = addressOf(name);
  const release = await listen(address);
  if (release || !isFile(address) || (await isAnswering(address))) return release;
  rmSync(address, { force: true });
  return listen(address);
}

/**
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @param {{ pollMs?: number, signal?: AbortSignal }} [options]
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
async function listen(address) {
  const server = createServer((socket) => socket.destroy())
    .listen(address)
    .unref();
  try {
    await once(server, "listening");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") return;
    throw error;
  }
  return () => new Promise((done) => server.close(() => done()));
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
