import { createReadStream } from "node:fs";
import { access } from "node:fs/promises";
import type { LedgerBytes } from "@shared/contract/verify-ledger.ts";
import { PlainError } from "../lib/plain-error.mjs";
import { resolveTyped } from "../lib/resolve-typed.mjs";

const DOWNLOAD_PATH = "/ledger/download";

/**
 * A downloaded ledger, or that of an API at its address.
 * @throws PlainError if it cannot be read
 */
export async function openLedger(source: string, signal: AbortSignal): Promise<LedgerBytes> {
  return /^https?:\/\//.test(source) ? download(source, signal) : openFile(source);
}

async function download(address: string, signal: AbortSignal): Promise<LedgerBytes> {
  const url = new URL(address);
  if (url.pathname === "/") url.pathname = DOWNLOAD_PATH;
  const response = await fetch(url, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new PlainError(`${url} does not answer.`, { cause: error });
  });
  if (response.ok && response.body) return response.body;
  throw new PlainError(`${url} was answered with ${response.status}.`);
}

async function openFile(name: string): Promise<LedgerBytes> {
  const file = resolveTyped(name);
  await access(file).catch((error: unknown) => {
    throw new PlainError(`${file} cannot be read.`, { cause: error });
  });
  const chunks = createReadStream(file)[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return?.();
    },
  });
}
