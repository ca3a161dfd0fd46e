import type { Database } from "@shared/database/database.ts";
import { removeChartImages } from "@shared/files/chart-images.ts";
import { type FileKind, fileStore, newFilename } from "@shared/files/file-store.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import { Types } from "mongoose";
import type { SanitizedImage } from "./sanitize-image.ts";

/** A file whose bytes are stored and of which nobody knows yet. */
export interface SavedFile extends Pick<SanitizedImage, "contentType"> {
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
export async function storeUpload<Result>(
  deps: { database: Database; logger: Logger },
  file: { kind: FileKind; image: SanitizedImage },
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

/**
 * Removes a user's payment proof with its bytes, under the caller's transaction.
 * @returns whether there was one
 */
export async function removePaymentProof(
  database: Database,
  uow: UnitOfWork,
  userId: Types.ObjectId,
): Promise<boolean> {
  const proof = await database.paymentProofs
    .findOneAndDelete({ userId }, { session: uow.session })
    .lean();
  if (!proof) return false;
  await fileStore(database, "payment_proofs").remove([proof._id], uow.session);
  return true;
}

/** Removes all files of a user with their bytes, under the caller's transaction; the admins hear of his chart images. */
export async function removeUserFiles(
  database: Database,
  uow: UnitOfWork,
  userId: Types.ObjectId,
): Promise<void> {
  await removePaymentProof(database, uow, userId);
  const images = await database.chartImages.find({ userId }).session(uow.session).lean();
  await removeChartImages(database, uow, images);
}
