import type { HistoryItem } from "@shared/contract/signal.ts";
import { useMemo } from "react";
import { filterHistory, type HistoryFilter, isFiltering } from "./history-filter.ts";
import { SignalCard } from "./signal-card.tsx";
import { filterTexts as texts } from "./texts.ts";

interface HistoryListProps {
  /** What has been read so far, newest first. */
  items: HistoryItem[];
  filter: HistoryFilter;
  /** Older items are still to be read. */
  hasMore: boolean;
}

/** The signals that fit the filter; while older ones are still to be read, it says how many have been looked through. */
export function HistoryList({ items, filter, hasMore }: HistoryListProps) {
  const found = useMemo(() => filterHistory(items, filter), [items, filter]);
  return (
    <>
      {isFiltering(filter) && (
        <p role="status" className="figures text-sm text-ink-muted">
          {texts.found({ found: found.length, of: items.length, hasMore })}
        </p>
      )}
      <ol className="flex flex-col gap-4 empty:hidden">
        {found.map((item) => (
          <li key={item.id}>
            <SignalCard item={item} />
          </li>
        ))}
      </ol>
    </>
  );
}
