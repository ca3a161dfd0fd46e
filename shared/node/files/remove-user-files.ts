import type { UnitOfWork } from "@shared/outbox/commit.ts";
import type { Types } from "mongoose";
import type { Database } from "../database.ts";
import { removeChartImages } from "./remove-chart-images.ts";
import { removePaymentProof } from "./remove-payment-proof.ts";

/** Removes all files of a user with their bytes, under the caller's transaction; the admins hear of his chart images. */
export async function removeFilesOf(
  database: Database,
  uow: UnitOfWork,
  userId: Types.ObjectId,
): Promise<void> {
  await removePaymentProof(database, uow, userId);
  const images = await database.chartImages.find({ userId }).session(uow.session).lean();
  await removeChartImages(database, uow, images);
}
