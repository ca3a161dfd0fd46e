import type { Timeframe } from "@shared/contract/market-data.ts";
import type { NewWatchlistItem } from "@shared/contract/watchlist.ts";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "react-router-dom";
import { stopWatching } from "../../../domain/stop-watching.ts";
import { addItem, findItem, refetchWatchlist, useWatchlist } from "../../../domain/watchlist.ts";
import { errorText, hasCode } from "../../../lib/api/errors.ts";
import { showToast } from "../../../ui/show-toast.ts";
import { stakeOf, useBot } from "../bot-store.ts";

/** Whether a market is watched, and how that is changed: with the sizing of the form. */
export function useWatching({ symbol, timeframe }: { symbol: string; timeframe: Timeframe }) {
  const { data: list } = useWatchlist();
  const item = findItem(list, { symbol, timeframe });
  const adding = useAdding();
  const isAdding =
    adding.isPending &&
    adding.variables.symbol === symbol &&
    adding.variables.timeframe === timeframe;
  const toggle = () => {
    if (isAdding) return;
    if (item) return stopWatching(item);
    const { amount, riskPercent: risk_percent, leverage } = stakeOf(useBot.getState().inputs);
    adding.mutate({ symbol, timeframe, min_confidence: 0, amount, risk_percent, leverage });
  };
  return { list, isWatched: item !== undefined || isAdding, toggle };
}

function useAdding() {
  const navigate = useNavigate();
  const action = { label: "Watchlist", run: () => void navigate("/watchlist") };
  return useMutation({
    mutationFn: (item: NewWatchlistItem) => addItem(item),
    onSuccess: ({ symbol, timeframe }) =>
      showToast({
        title: `Watching ${symbol} ${timeframe}`,
        description: "You get a signal when a candle closes with a trade.",
        action,
      }),
    onError(error, { symbol, timeframe }) {
      // In another tab or on another device, it is watched already.
      if (hasCode(error, "already-watched")) return void refetchWatchlist();
      const title = `${symbol} ${timeframe} is not watched`;
      showToast({ title, description: errorText(error, "Please try again."), action });
    },
  });
}
