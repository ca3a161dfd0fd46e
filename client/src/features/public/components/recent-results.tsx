import { MESSAGES } from "@shared/contract/constants.ts";
import { useQuery } from "@tanstack/react-query";
import { type RefObject, useEffect, useRef, useState } from "react";
import { DataLabel, OutcomeBadge } from "../../../domain/badges.tsx";
import { SignalBadge } from "../../../domain/signal-badge.tsx";
import { formatR } from "../../../lib/format.ts";
import { LocalTime } from "../../../ui/local-time.tsx";
import { activityQuery, type EndedTrade, POLL_INTERVAL_MS } from "../../signals/activity.ts";

/** The last trades that are over. Read again each minute while in view: the browser asks whether they have changed. */
export function RecentResults() {
  const box = useRef<HTMLElement>(null);
  const isInView = useInView(box);
  const { data, isError } = useQuery({
    ...activityQuery,
    refetchInterval: isInView ? POLL_INTERVAL_MS : false,
  });
  return (
    <section
      ref={box}
      aria-label="Recent results"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
      tabIndex={0}
      className="size-full overflow-y-auto rounded-card"
    >
      {data?.data === "replay" && data.items.length > 0 && (
        <p className="px-4 pt-4 sm:px-6">
          <DataLabel>{MESSAGES.demoRecord}</DataLabel>
        </p>
      )}
      {data && data.items.length > 0 && (
        <ol className="divide-y divide-line px-4 sm:px-6">
          {data.items.map((item) => (
            <Row key={item.seq} {...item} />
          ))}
        </ol>
      )}
      <p
        role="status"
        className="flex size-full items-center justify-center p-6 text-ink-muted empty:hidden"
      >
        {data?.items.length === 0 && "No trade has been resolved yet."}
        {!data && isError && "Recent results are not available at the moment."}
      </p>
    </section>
  );
}

function Row({
  symbol,
  timeframe,
  signal,
  outcome,
  r_multiple: r,
  reason,
  resolved_at,
}: EndedTrade) {
  const noResult = reason === "no-data" ? "Unknown" : "Not filled";
  return (
    <li className="flex items-center gap-x-4 py-3">
      <span className="w-20 shrink-0">
        <SignalBadge signal={signal} />
      </span>
      <p className="min-w-0 flex-1">
        <span className="font-medium">{symbol}</span>{" "}
        <span className="text-ink-muted">{timeframe}</span>
        <span className="figures block text-sm text-ink-faint">
          <LocalTime iso={resolved_at} />
        </span>
      </p>
      <p className="figures flex flex-col items-end sm:flex-row sm:items-center sm:gap-6">
        <OutcomeBadge outcome={outcome} />
        <span className="text-right text-sm font-medium sm:w-20">
          {r === null ? noResult : formatR(r)}
        </span>
      </p>
    </li>
  );
}

function useInView(box: RefObject<HTMLElement | null>): boolean {
  const [isInView, setInView] = useState(false);
  useEffect(() => {
    if (!box.current) return;
    const observer = new IntersectionObserver(([entry]) =>
      setInView(entry?.isIntersecting ?? false),
    );
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [box]);
  return isInView;
}
