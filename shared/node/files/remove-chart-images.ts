import type { Database } from "../database.ts";
import type { Change } from "../event-log.ts";
import type { ChartImageRecord } from "../models/chart-image.ts";
import { ADMINS_STREAM } from "../streams.ts";
import { fileStore } from "./file-store.ts";
import { presentChartImage } from "./present-chart-image.ts";

/** Removes chart images with their bytes, under the caller's transaction, and tells the admins of each. */
export async function removeChartImages(
  database: Database,
  change: Change,
  images: readonly ChartImageRecord[],
): Promise<void> {
  if (images.length === 0) return;
  const ids = images.map((image) => image._id);
  await database.chartImages.deleteMany({ _id: { $in: ids } }, { session: change.session });
  await fileStore(database, "chart_uploads").remove(ids, change.session);
  for (const image of images) {
    change.tell(ADMINS_STREAM, "chart-image:deleted", presentChartImage(image));
  }
}
