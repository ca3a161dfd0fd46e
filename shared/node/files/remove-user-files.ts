import type { Types } from "mongoose";
import type { Database } from "../database.ts";
import type { Change } from "../event-log.ts";
import { removeChartImages } from "./remove-chart-images.ts";
import { removePaymentProof } from "./remove-payment-proof.ts";

/** Removes all files of a user with their bytes, under the caller's transaction; the admins hear of his chart images. */
export async function removeFilesOf(
  database: Database,
  change: Change,
  userId: Types.ObjectId,
): Promise<void> {
  await removePaymentProof(database, change, userId);
  const images = await database.chartImages.find({ userId }).session(change.session).lean();
  await removeChartImages(database, change, images);
}
