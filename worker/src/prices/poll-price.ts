import { TIMEFRAME_MS } from "@shared/contract/candle.ts";
import { PRICE_TIMEFRAME } from "@shared/contract/constants.ts";
import type { MarketDataSource } from "@shared/contract/status.ts";
import { isOpen } from "@shared/domain/trading-hours.ts";
import { withDeadline } from "../market-data/deadline.ts";
import type { CandleSeries, MarketData } from "../market-data/market-data.ts";

const TIMEOUT_MS = 7_000;
/** Enough for every provider, at the cost of one. */
const CANDLES = 2;

export interface PollIntervals {
  live: number;
  replay: number;
  /** The provider publishes late, or the market is closed. */
  delayed: number;
  failed: number;
}

/** Spares the providers: a request for each watched market. */
export const POLL_INTERVALS_MS: PollIntervals = {
  ...{ live: 5_000, replay: 1_000, delayed: 30_000, failed: 5_000 },
};

export interface PolledPrice {
  price: number;
  at: number;
  provider: string;
  data: MarketDataSource;
  isDelayed: boolean;
}

/** The newest price of a market from its candles. Rejects with `ProviderError`. */
export async function pollPrice(
  { marketData, now }: { marketData: MarketData; now: () => Date },
  { symbol, abort }: { symbol: string; abort: AbortSignal },
): Promise<PolledPrice> {
  const request = { symbol, timeframe: PRICE_TIMEFRAME, limit: CANDLES, withOpen: true } as const;
  const series = await withDeadline({ abort, timeoutMs: TIMEOUT_MS }, (inTime) =>
    marketData.candles({ ...request, abort: inTime }),
  );
  return newestPrice(series, now().getTime());
}

function newestPrice(series: CandleSeries, now: number): PolledPrice {
  const { candles, open, provider, data, market } = series;
  const { hours, delayMs } = market ?? { hours: "always", delayMs: 0 };
  const isTrading = open !== undefined && isOpen(hours, now - delayMs);
  const newest = open ?? candles.at(-1);
  if (!newest) throw new Error("a series without candles");
  const closedAt = newest.time + TIMEFRAME_MS[PRICE_TIMEFRAME];
  return {
    price: newest.close,
    at: Math.min(now - delayMs, isTrading ? now : closedAt),
    ...{ provider, data, isDelayed: !isTrading || delayMs > 0 },
  };
}
