import { Types } from "mongoose";
import { AppError } from "../app-error.ts";
import type { Database } from "../database.ts";
import type { Logger } from "../logger.ts";
import { type FileKind, newFilename } from "./file-kinds.ts";
import { fileStore } from "./file-store.ts";
import type { TakenInImage } from "./take-in-image.ts";

/** A file whose bytes are stored and of which nobody knows yet. */
export interface SavedFile extends Pick<TakenInImage, "contentType"> {
  _id: Types.ObjectId;
  filename: string;
  /** Bytes. */
  size: number;
}

/**
 * Stores the bytes of a picture and runs `commit`, which makes them known in a transaction. When that refuses, they
 * are removed again. When it is not known how it ended, they are left to the nightly cleanup, which sees what came of it.
 * So they are when the database is not available: the caller would wait for the removal, which fails as well.
 */
export async function saveAndCommit<Result>(
  deps: { database: Database; logger: Logger },
  file: { kind: FileKind; image: TakenInImage },
  commit: (saved: SavedFile) => Promise<Result>,
): Promise<Result> {
  const { bytes, contentType } = file.image;
  const store = fileStore(deps.database, file.kind);
  const _id = new Types.ObjectId();
  const saved = { _id, filename: newFilename(contentType), contentType, size: bytes.length };
  await store.save({ id: _id, filename: saved.filename, bytes });
  try {
    return await commit(saved);
  } catch (error) {
    if (error instanceof AppError && error.code !== "unavailable") {
      await store.remove([_id]).catch((cause: unknown) => {
        deps.logger.warn({ err: cause, file: saved.filename }, "left to the cleanup");
      });
    }
    throw error;
  }
}
