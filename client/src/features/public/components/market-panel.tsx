import type { MarketQuote } from "@shared/contract/markets.ts";
import type { ReactNode } from "react";
import { formatDateTime, formatUtc } from "../../../lib/format.ts";
import { Button } from "../../../ui/button.tsx";
import { Skeleton } from "../../../ui/card.tsx";
import { NO_PRICES, PRICES_FAILED, ScrollBox, useMarkets } from "./market-quotes.tsx";

interface MarketPanelProps {
  title: string;
  children(quotes: MarketQuote[]): ReactNode;
}

export function MarketPanel({ title, children }: MarketPanelProps) {
  const { data, isError, refetch } = useMarkets();
  if (data && data.markets.length > 0) {
    return (
      <div className="flex h-full flex-col">
        <SourceNote quotes={data.markets} />
        <ScrollBox title={`Prices: ${title}`} className="min-h-0 flex-1 overflow-y-auto">
          {children(data.markets)}
        </ScrollBox>
      </div>
    );
  }
  if (!data && !isError) return <Skeleton className="absolute inset-0 rounded-none" />;
  return (
    <div className="flex h-full flex-col items-center justify-center gap-4 p-6 text-center">
      <p role="status" className="text-ink-muted text-pretty">
        {data ? NO_PRICES : PRICES_FAILED}
      </p>
      {!data && (
        <Button variant="secondary" onClick={() => void refetch()}>
          Try again
        </Button>
      )}
    </div>
  );
}

function SourceNote({ quotes }: { quotes: MarketQuote[] }) {
  const isDemo = quotes.some((quote) => quote.data === "replay");
  const latest =
    quotes
      .map((quote) => quote.as_of)
      .toSorted()
      .at(-1) ?? "";
  return (
    <p className="flex h-11 shrink-0 items-center justify-between gap-4 border-b border-line px-4 text-xs sm:px-5">
      <span className={isDemo ? "text-wait" : "text-ink-muted"}>
        {isDemo
          ? "Demo data: recorded prices shifted to the present."
          : "Prices at the close of the last hour"}
      </span>
      <time dateTime={latest} title={formatUtc(latest)} className="figures shrink-0 text-ink-faint">
        {formatDateTime(latest)}
      </time>
    </p>
  );
}
