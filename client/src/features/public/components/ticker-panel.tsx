import { Skeleton } from "../../../ui/card.tsx";
import {
  Change,
  formatQuote,
  NO_PRICES,
  PRICES_FAILED,
  ScrollBox,
  useMarkets,
} from "./market-quotes.tsx";

export function TickerPanel() {
  const { data, isError } = useMarkets();
  const quotes = data?.markets ?? [];
  if (!data && !isError) return <Skeleton className="absolute inset-0 rounded-none" />;
  if (quotes.length === 0) {
    return (
      <p className="page flex h-full items-center text-sm text-ink-faint">
        {isError ? PRICES_FAILED : NO_PRICES}
      </p>
    );
  }
  const isDemo = quotes.some((quote) => quote.data === "replay");
  return (
    <ScrollBox
      title="Market prices"
      className="h-full overflow-x-auto mask-r-from-95% [scrollbar-width:none]"
    >
      <ul className="figures flex h-full w-max items-center px-4 text-sm sm:px-6">
        {isDemo && <li className="pr-5 font-medium text-wait">Demo data</li>}
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
