import type { SignalResponse } from "@shared/contract/signal.ts";
import { queryOptions, skipToken, useQueries } from "@tanstack/react-query";
import { signalKeys } from "../../signals/apply-event.ts";
import { TradeTitle, tradeOfSignal } from "../../signals/components/trade-timeline.tsx";
import { useBot } from "../bot-store.ts";

/** Shows the state of the newest open trade of this tab in its title. Loaded once there is one. */
export function NewestTradeTitle() {
  const tracked = useBot((bot) => bot.tracked);
  const signals = useQueries({
    queries: tracked.map(({ id }) =>
      queryOptions<SignalResponse>({ queryKey: signalKeys.detail(id), queryFn: skipToken }),
    ),
  });
  const trades = signals.flatMap(({ data }) => (data && tradeOfSignal(data)) ?? []);
  const newest = trades.find(({ outcome }) => !outcome);
  return newest ? <TradeTitle trade={newest} /> : null;
}
