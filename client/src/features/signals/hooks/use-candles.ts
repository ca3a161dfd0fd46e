import {
  MAX_MARKET_CANDLES,
  marketCandlesSchema,
  type Timeframe,
} from "@shared/contract/candle.ts";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../../lib/api/client.ts";
import { ApiError } from "../../../lib/api/errors.ts";

const POLL_INTERVAL_MS = 5_000;

export interface Market {
  symbol: string;
  timeframe: Timeframe;
}

const isRefused = (error: unknown): boolean => error instanceof ApiError && error.status === 422;

/** The candles of a market. This is where the open one moves: each poll asks whether it has changed. */
export const useCandles = ({ symbol, timeframe }: Market, enabled = true) =>
  useQuery({
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
