import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import type { Database } from "../database.ts";
import type { ChartImageRecord } from "../models/chart-image.ts";
import { fileStore } from "./file-store.ts";
import { presentChartImage } from "./present-chart-image.ts";

/** Removes chart images with their bytes, under the caller's transaction, and tells the admins of each. */
export async function removeChartImages(
  database: Database,
  uow: UnitOfWork,
  images: readonly ChartImageRecord[],
): Promise<void> {
  if (images.length === 0) return;
  const ids = images.map((image) => image._id);
  await database.chartImages.deleteMany({ _id: { $in: ids } }, { session: uow.session });
  await fileStore(database, "chart_uploads").remove(ids, uow.session);
  for (const image of images) {
    uow.addEvent(ADMINS_STREAM, "chart-image:deleted", presentChartImage(image));
  }
}
