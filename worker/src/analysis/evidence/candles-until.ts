import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import type { CandleSeries } from "../../market-data/market-data.ts";
import type { EvidenceDeps } from "./evidence-source.ts";

/** Candles that had closed by `until`, of the same kind and provider as those of the analysis. */
export async function candlesUntil(
  request: { symbol: string; timeframe: Timeframe; limit: number; until: number },
  { data, provider }: Pick<CandleSeries, "data" | "provider">,
  { marketData, abort }: Pick<EvidenceDeps, "marketData" | "abort">,
): Promise<Candle[]> {
  const { symbol, timeframe, limit, until } = request;
  const only = data === "live" ? provider : undefined;
  // Without `until`, the series is shared with other analyses, and kept until its next candle closes.
  const series = await marketData.candles({ symbol, timeframe, limit, abort, only });
  if (series.data !== data) return [];
  return series.candles.filter(({ time }) => time + TIMEFRAME_MS[timeframe] <= until);
}
