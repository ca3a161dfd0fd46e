import type { NewWatchlistItem } from "@shared/contract/watchlist.ts";
import { useMutation } from "@tanstack/react-query";
import { Star } from "lucide-react";
import { useNavigate } from "react-router-dom";
import { errorText, hasCode } from "../../../lib/api/errors.ts";
import { addItem, findItem, refetchWatchlist, useWatchlist } from "../../../lib/watchlist.ts";
import { showToast } from "../../../ui/show-toast.ts";
import { stopWatching } from "../../../ui/undo.ts";
import { stakeOf, useBot } from "../bot-store.ts";

/** Watches the market of the form with its sizing, or ends that. */
export function WatchButton() {
  const symbol = useBot(({ inputs }) => inputs.symbol.trim().toUpperCase());
  const timeframe = useBot(({ inputs }) => inputs.timeframe);
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
  const isWatched = item !== undefined || isAdding;
  return (
    <button
      type="button"
      aria-pressed={isWatched}
      // Unknown until the list has been read.
      disabled={!list || symbol === ""}
      onClick={toggle}
      title={isWatched ? "Stop watching" : "Get a signal at each close"}
      className="-my-1 flex items-center gap-1.5 rounded-md px-1.5 py-1 text-sm font-medium text-ink-muted transition-colors hover:text-ink disabled:invisible"
    >
      <Star aria-hidden className={`size-4 ${isWatched ? "fill-current text-wait" : ""}`} />
      Watch{" "}
      <span className="sr-only">
        {symbol} {timeframe}
      </span>
    </button>
  );
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
