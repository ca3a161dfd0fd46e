import { Skeleton } from "../../../ui/card.tsx";
import { homeMessages as texts } from "../messages.ts";
import { Change, formatQuote, ScrollBox, useMarkets } from "./market-quotes.tsx";

/** Prices in one line that can be moved through, but does not move by itself. */
export function TickerPanel() {
  const { data, isError } = useMarkets();
  const quotes = data?.markets ?? [];
  if (!data && !isError) return <Skeleton className="absolute inset-0 rounded-none" />;
  if (quotes.length === 0) {
    return (
      <p className="page flex h-full items-center text-sm text-ink-faint">
        {isError ? texts.pricesFailed : texts.noPrices}
      </p>
    );
  }
  const isDemo = quotes.some((quote) => quote.data === "replay");
  return (
    <ScrollBox
      title={texts.tickerTitle}
      className="h-full overflow-x-auto mask-r-from-95% [scrollbar-width:none]"
    >
      <ul className="figures flex h-full w-max items-center px-4 text-sm sm:px-6">
        {isDemo && <li className="pr-5 font-medium text-wait">{texts.demo}</li>}
        {quotes.map(({ symbol, price, change_percent }) => (
          <li key={symbol} className="flex gap-2 border-l border-line px-5">
            <span className="font-medium">{symbol}</span>
            <span className="text-ink-muted">{formatQuote(price)}</span>
            <Change percent={change_percent} />
          </li>
        ))}
      </ul>
    </ScrollBox>
  );
}
