import {
  MAX_MARKET_CANDLES,
  type MarketCandles,
  marketCandlesSchema,
  TIMEFRAME_MS,
  type Timeframe,
} from "@shared/contract/market-data.ts";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { api } from "../../../lib/api/client.ts";
import { ApiError } from "../../../lib/api/errors.ts";
import { type CurrentPrice, useLivePrice } from "../../../lib/realtime/live-prices.ts";

const POLL_INTERVAL_MS = 5_000;

export interface Market {
  symbol: string;
  timeframe: Timeframe;
}

/** The market is unknown, or cannot be charted. */
export const isRefused = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 422;

/** The candles of a market. This is where the open one moves: with each live price, and with each poll. */
export function useCandles({ symbol, timeframe }: Market, enabled = true) {
  const { data, error, isFetching, refetch, dataUpdatedAt } = useQuery({
    queryKey: ["candles", symbol, timeframe],
    queryFn: ({ signal }) =>
      api({
        path: "/candles",
        query: { symbol, timeframe, limit: MAX_MARKET_CANDLES },
        schema: marketCandlesSchema,
        cache: "no-cache",
        signal,
      }),
    enabled,
    staleTime: POLL_INTERVAL_MS,
    refetchInterval: ({ state }) => (isRefused(state.error) ? false : POLL_INTERVAL_MS),
  });
  const live = useLivePrice(enabled && data ? symbol : undefined);
  const moved = useMemo(() => data && moveOpenCandle(data, live), [data, live]);
  return { data: moved, error, isFetching, refetch, dataUpdatedAt };
}

export function moveOpenCandle(
  data: MarketCandles,
  live: Pick<CurrentPrice, "price" | "at" | "isStale"> | null,
): MarketCandles {
  const { candles, timeframe } = data;
  const last = candles.at(-1);
  if (!live || live.isStale || !last || last.closed) return data;
  const at = Date.parse(live.at);
  if (at < last.time || at >= last.time + TIMEFRAME_MS[timeframe]) return data;
  const { price } = live;
  const high = Math.max(last.high, price);
  const low = Math.min(last.low, price);
  return { ...data, candles: [...candles.slice(0, -1), { ...last, high, low, close: price }] };
}
