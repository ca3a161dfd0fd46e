import type { ProofState } from "@shared/contract/account.ts";
import type { Database } from "@shared/database/database.ts";
import { type FileKind, fileStore } from "@shared/database/file-bytes.ts";
import { newFilename, removeChartImages } from "@shared/domain/file-store.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import { Types } from "mongoose";
import type { SanitizedImage } from "./image-decoder.ts";

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
  kind: FileKind,
  { bytes, contentType }: SanitizedImage,
  commit: (saved: SavedFile) => Promise<Result>,
): Promise<Result> {
  const store = fileStore(deps.database, kind);
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

/** Makes room for a user's next payment proof. One that paid for a subscription is kept, others are deleted. */
export async function replacePaymentProof(
  database: Database,
  uow: UnitOfWork,
  { _id, userId }: { _id: Types.ObjectId; userId: Types.ObjectId },
): Promise<void> {
  const { session } = uow;
  const filter = { userId, replacedById: null };
  const former = await database.paymentProofs.findOne(filter).session(session).lean();
  if (!former) return;
  if (await database.billingPeriods.exists({ proofId: former._id }).session(session)) {
    const update = { $set: { replacedById: _id } };
    await database.paymentProofs.updateOne({ _id: former._id }, update, { session });
  } else {
    await removePaymentProof(database, uow, userId, "replaced");
  }
}

/** Deletes a user's current payment proof but for its fingerprint, in the caller's transaction. Returns false if there is none. */
export async function removePaymentProof(
  database: Database,
  uow: UnitOfWork,
  userId: Types.ObjectId,
  state: "replaced" | "deleted",
): Promise<boolean> {
  const proof = await database.paymentProofs
    .findOneAndDelete({ userId, replacedById: null }, { session: uow.session })
    .lean();
  if (!proof) return false;
  await fileStore(database, "payment_proofs").remove([proof._id], uow.session);
  await database.proofFingerprints.updateOne(
    { userId, filename: proof.filename },
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
  const { session } = uow;
  const proofs = await database.paymentProofs.find({ userId }).session(session).lean();
  const proofIds = proofs.map(({ _id }) => _id);
  await database.paymentProofs.deleteMany({ userId }, { session });
  await fileStore(database, "payment_proofs").remove(proofIds, session);
  const state = "user-deleted" satisfies ProofState;
  await database.proofFingerprints.updateMany(
    { userId },
    { $set: { state, removedAt: uow.at }, $unset: { userId: 1, username: 1, filename: 1 } },
    { session },
  );
  const images = await database.chartImages.find({ userId }).session(session).lean();
  await removeChartImages(database, uow, images);
}
