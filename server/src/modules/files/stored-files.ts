import type { ProofState } from "@shared/contract/account.ts";
import type { Database } from "@shared/database/database.ts";
import { removeChartImages } from "@shared/files/chart-images.ts";
import { type FileKind, fileStore, newFilename } from "@shared/files/file-store.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import { Types } from "mongoose";
import type { SanitizedImage } from "./sanitize-image.ts";

/** A file whose bytes are stored, but which no document refers to yet. */
export interface SavedFile extends Pick<SanitizedImage, "contentType"> {
  _id: Types.ObjectId;
  filename: string;
  /** Bytes. */
  size: number;
}

/**
 * Stores an image and runs `commit`, which refers to it in a transaction. Deletes it again if that fails. If the outcome
 * is unknown, the file is left to the nightly cleanup.
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
        deps.logger.warn({ err: cause, file: saved.filename }, "file left to the nightly cleanup");
      });
    }
    throw error;
  }
}

/** Deletes a user's payment proof but for its fingerprint, in the caller's transaction. Returns false if there is none. */
export async function removePaymentProof(
  database: Database,
  uow: UnitOfWork,
  { userId, state }: { userId: Types.ObjectId; state: Exclude<ProofState, "stored"> },
): Promise<boolean> {
  const proof = await database.paymentProofs
    .findOneAndDelete({ userId }, { session: uow.session })
    .lean();
  if (!proof) return false;
  await fileStore(database, "payment_proofs").remove([proof._id], uow.session);
  await database.proofFingerprints.updateOne(
    { userId, state: "stored" },
    { $set: { state, removedAt: uow.at }, $unset: { filename: 1 } },
    { session: uow.session },
  );
  return true;
}

/** Deletes all files of a user, and all that fingerprints say of the user, in the caller's transaction. */
export async function removeUserFiles(
  database: Database,
  uow: UnitOfWork,
  userId: Types.ObjectId,
): Promise<void> {
  const state = "user-deleted";
  await removePaymentProof(database, uow, { userId, state });
  await database.proofFingerprints.updateMany(
    { userId },
    { $set: { state, removedAt: uow.at }, $unset: { userId: 1, username: 1 } },
    { session: uow.session },
  );
  const images = await database.chartImages.find({ userId }).session(uow.session).lean();
  await removeChartImages(database, uow, images);
}
