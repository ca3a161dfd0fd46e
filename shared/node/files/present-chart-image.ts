import type { ChartImage } from "@shared/contract/files.ts";
import type { ChartImageRecord } from "../models/chart-image.ts";
import { filePath } from "./file-kinds.ts";

/** A chart image as events hold it: `url` is the bare path, which is signed for whoever gets to read it. */
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
