import type { Database } from "@shared/node/database.ts";
import { fileStore } from "@shared/node/files/file-store.ts";
import type { MarketAnalysisRecord } from "@shared/node/models/market-analysis.ts";
import pRetry from "p-retry";

/** Reading is retried this often, some 8 s in all, while the database is away: the image is paid for. */
const READ_RETRIES = 4;

/** The image that an analysis was asked for with is gone: an analysis without it is not what was paid for. */
export class MissingImageError extends Error {
  override readonly name = "MissingImageError";
}

/**
 * The chart image of an analysis as a data URL; undefined for one without.
 * @throws MissingImageError if it has been deleted meanwhile; the reason of `abort` once that fires
 */
export function readChartImage(
  database: Database,
  analysis: Pick<MarketAnalysisRecord, "chartImageId">,
  abort: AbortSignal,
): Promise<string | undefined> {
  return pRetry(() => readDataUrl(database, analysis), {
    retries: READ_RETRIES,
    minTimeout: 500,
    signal: abort,
    shouldRetry: ({ error }) => !(error instanceof MissingImageError),
  });
}

async function readDataUrl(
  database: Database,
  { chartImageId }: Pick<MarketAnalysisRecord, "chartImageId">,
): Promise<string | undefined> {
  if (!chartImageId) return undefined;
  const image = await database.chartImages.findById(chartImageId).lean();
  const bytes = image && (await fileStore(database, "chart_uploads").read(image._id));
  if (!bytes) throw new MissingImageError("the chart image is not stored any more");
  return `data:${image.contentType};base64,${bytes.toString("base64")}`;
}
