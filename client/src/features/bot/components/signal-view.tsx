import { TIMEFRAME_MS } from "@shared/contract/market-data.ts";
import type { SignalResponse } from "@shared/contract/signal.ts";
import { useQuery } from "@tanstack/react-query";
import { OutcomeBadge } from "../../../domain/badges.tsx";
import { useNow } from "../../../lib/use-now.ts";
import { linkClass, TextLink } from "../../../ui/button.tsx";
import { progressQuery, useSignal } from "../../signals/api.ts";
import { ResultCard, ResultDetails } from "../../signals/components/result-card.tsx";
import { TradeTimeline, tradeOfSignal } from "../../signals/components/trade-timeline.tsx";
import { tradeLevels } from "../../signals/levels.ts";
import { isLate, isOfMarket, select, type TrackedSignal, useBot } from "../bot-store.ts";
import { PendingCard, TimeoutAlert } from "./pending-card.tsx";
import { useWatching } from "./watching.ts";

export function SignalView({ tracked }: { tracked: TrackedSignal }) {
  const { data: signal } = useSignal(tracked.id);
  if (!signal?.analysis) {
    return <PendingSignal tracked={tracked} isRunning={signal?.status === "running"} />;
  }
  return <FinishedSignal signal={signal} analysis={signal.analysis} />;
}

interface FinishedSignalProps {
  signal: SignalResponse;
  analysis: NonNullable<SignalResponse["analysis"]>;
}

function FinishedSignal({ signal, analysis }: FinishedSignalProps) {
  const { signal_id: id, status, created_at } = signal;
  const isTrade = status === "completed" && tradeLevels(analysis) !== null;
  const { data } = useQuery({ ...progressQuery(id), enabled: isTrade });
  const resolution = data?.judgement ?? null;
  const outcome = resolution?.outcome ?? signal.outcome;
  const trade = tradeOfSignal({ ...signal, outcome }, resolution);
  const isOfOtherMarket = useBot(({ inputs }) => !isOfMarket(signal, inputs));
  return (
    <ResultCard
      signal={{ ...signal, outcome }}
      analysis={analysis}
      heading="h2"
      progress={trade && <TradeTimeline trade={trade} madeAt={created_at} />}
    >
      {status === "completed" && (
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 text-sm">
          {isTrade ? <OutcomeBadge outcome={outcome} /> : <NextTrade {...signal} />}
          <span className="ml-auto flex items-center gap-x-4">
            {isOfOtherMarket && (
              <button type="button" onClick={() => select(id)} className={linkClass}>
                Show its chart
              </button>
            )}
            <TextLink to={`/signals/${id}`} className="pointer-coarse:py-2.5">
              Open
            </TextLink>
          </span>
        </div>
      )}
      <div className="border-t border-line pt-5">
        <ResultDetails analysis={analysis} />
      </div>
    </ResultCard>
  );
}

/** What is wanted after a WAIT: the next trade of the market, without asking again and again. */
function NextTrade({ symbol, timeframe }: Pick<SignalResponse, "symbol" | "timeframe">) {
  const { list, isWatched, toggle } = useWatching({ symbol, timeframe });
  if (!list || TIMEFRAME_MS[timeframe] < TIMEFRAME_MS[list.min_timeframe]) return null;
  if (isWatched) return <p className="text-ink-faint">You get the next trade</p>;
  return (
    <button type="button" onClick={toggle} className={linkClass}>
      Notify me of the next trade
    </button>
  );
}

function PendingSignal({ tracked, isRunning }: { tracked: TrackedSignal; isRunning: boolean }) {
  if (isLate(tracked, useNow(true))) return <TimeoutAlert />;
  return <PendingCard {...tracked} stage={isRunning ? "running" : "queued"} />;
}
