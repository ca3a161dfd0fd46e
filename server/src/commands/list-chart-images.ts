import type { ChartImage } from "@shared/contract/files.ts";
import { presentChartImage } from "@shared/node/files/present-chart-image.ts";
import { createSignPath, withSignedUrl } from "../files/sign-files.ts";
import type { ServerDeps } from "../server-deps.ts";

/** All chart images that are kept, newest first, with addresses that can be opened. */
export async function listChartImages(
  deps: Pick<ServerDeps, "database" | "settings" | "now">,
): Promise<ChartImage[]> {
  const images = await deps.database.chartImages.find().sort({ createdAt: -1, _id: -1 }).lean();
  const signPath = createSignPath(deps);
  return images.map((image) => withSignedUrl(presentChartImage(image), signPath));
}
