import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { UploadedFile } from "@shared/contract/routes/define-route.ts";
import { withKeys } from "@shared/runtime/keyed-mutex.ts";
import { z } from "zod";
import { rateLimited, unavailable } from "./errors.ts";

/** Of one server, from the first byte until the request is answered. */
const MAX_UPLOADS = 500;
const MAX_UPLOADS_PER_USER = 50;
/** Of users who wait for no other upload: a flood of others does not keep them out. */
const MAX_FIRST_UPLOADS = 1_000;
const RETRY_AFTER_SECONDS = 10;

const bytesSchema = z.instanceof(Uint8Array);

/** The uploads of a server. They wait in files, not in memory. */
export class Uploads {
  readonly #folder: string;
  readonly #countByUser = new Map<string, number>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Receives an upload of `user`. @throws AppError rate-limited, unavailable before anything of it is read */
  async admit(user: string, receive: () => Promise<void>): Promise<void> {
    const count = this.#countByUser.get(user) ?? 0;
    if (count >= MAX_UPLOADS_PER_USER) throw rateLimited(RETRY_AFTER_SECONDS);
    if (this.#total >= (count === 0 ? MAX_FIRST_UPLOADS : MAX_UPLOADS)) throw unavailable();
    this.#countByUser.set(user, count + 1);
    try {
      await receive();
    } finally {
      const left = (this.#countByUser.get(user) ?? 1) - 1;
      if (left > 0) this.#countByUser.set(user, left);
      else this.#countByUser.delete(user);
    }
  }

  /** Stores a file that has no name in the file system: it is gone once it is closed, or this process ends. */
  async store(request: IncomingMessage, content: Readable): Promise<TemporaryFile> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const path = join(this.#folder, randomUUID());
    const handle = await open(path, "wx+", 0o600);
    try {
      await rm(path);
      const hash = createHash("sha256");
      let size = 0;
      for await (const chunk of content) {
        const bytes = bytesSchema.parse(chunk);
        // One piece of all uploads at a time, and then new connections, of which Node.js accepts one before it reads the others again.
        await withKeys(this, ["piece"], async () => {
          hash.update(bytes);
          const { bytesWritten } = await handle.write(bytes);
          size += bytesWritten;
        });
      }
      return new TemporaryFile(handle, { size, sha256: hash.digest("hex"), request });
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  get #total(): number {
    return [...this.#countByUser.values()].reduce((sum, count) => sum + count, 0);
  }
}

export class TemporaryFile implements UploadedFile {
  readonly sha256: string;
  readonly size: number;
  readonly #handle: FileHandle;
  readonly #request: IncomingMessage;

  constructor(
    handle: FileHandle,
    { size, sha256, request }: { size: number; sha256: string; request: IncomingMessage },
  ) {
    this.sha256 = sha256;
    this.#handle = handle;
    this.size = size;
    this.#request = request;
  }

  async read(): Promise<Uint8Array> {
    const bytes = Buffer.alloc(this.size);
    await this.#handle.read(bytes, 0, this.size, 0);
    return bytes;
  }

  isAbandoned(): boolean {
    return this.#request.socket.destroyed;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
