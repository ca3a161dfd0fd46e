import type { ChartImage } from "@shared/contract/files.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import type { Database } from "../database/database.ts";
import type { ChartImageRecord } from "../database/models/stored-file.ts";
import { filePath, fileStore } from "./file-store.ts";

/** A chart image in events. `url` is the path without a signature. */
export function presentChartImage(
  image: Pick<ChartImageRecord, "filename" | "size" | "createdAt" | "username">,
): ChartImage {
  return {
    filename: image.filename,
    size: image.size,
    modified: image.createdAt.toISOString(),
    url: filePath("chart_uploads", image.filename),
    username: image.username,
  };
}

/** Deletes chart images and their bytes, in the caller's transaction, and notifies the administrators. */
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
