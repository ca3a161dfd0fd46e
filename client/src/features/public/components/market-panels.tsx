import type { MarketQuote } from "@shared/contract/markets.ts";
import { formatPrice } from "@shared/contract/price.ts";
import { type ReactNode, useEffect, useRef } from "react";
import { Link } from "react-router-dom";
import { liveQuote, useMarkets } from "../../../domain/markets.ts";
import { formatChange, formatDateTime, formatUtc } from "../../../lib/format.ts";
import { OVERVIEW_COLUMNS } from "../../../lib/listed-markets.ts";
import { type CurrentPrice, useLivePrice } from "../../../lib/realtime/live-prices.ts";
import { Button } from "../../../ui/button.tsx";
import { Skeleton } from "../../../ui/card.tsx";
import { ColumnHeadings } from "../../../ui/column-headings.tsx";

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
        {quotes.map((quote) => (
          <TickerItem key={quote.symbol} quote={quote} />
        ))}
      </ul>
    </ScrollBox>
  );
}

function TickerItem({ quote }: { quote: MarketQuote }) {
  const { symbol, price, change_percent } = useLiveQuote(quote);
  return (
    <li className="flex items-baseline gap-2 border-l border-line px-5">
      <MarketLink symbol={symbol} />
      <span className="text-ink-muted">{formatPrice(price)}</span>
      <Change percent={change_percent} />
    </li>
  );
}

/** To its chart, which the page of the bot has. */
const MarketLink = ({ symbol }: { symbol: string }) => (
  <Link to={`/bot?symbol=${symbol}`} className="rounded py-2 font-medium hover:underline">
    {symbol}
  </Link>
);

/** Live for signed-in users with access. */
const useLiveQuote = (quote: MarketQuote): MarketQuote =>
  liveQuote(quote, useLivePrice(quote.symbol));

const crypto = OVERVIEW_COLUMNS[0]?.[0]?.symbols ?? [];

const inGroup = (symbols: readonly string[]) => (quote: MarketQuote) =>
  symbols.includes(quote.symbol);

export function OverviewPanel() {
  return (
    <MarketPanel title="Market Overview">
      {(quotes) => (
        <div className="grid gap-x-8 px-4 pb-1 sm:px-5 md:grid-cols-2 lg:grid-cols-3">
          {OVERVIEW_COLUMNS.map((groups) => (
            <div key={groups[0]?.title}>
              {groups.map(({ title, symbols }) => (
                <Group key={title} title={title} quotes={quotes.filter(inGroup(symbols))} />
              ))}
            </div>
          ))}
        </div>
      )}
    </MarketPanel>
  );
}

function Group({ title, quotes }: { title: string; quotes: MarketQuote[] }) {
  if (quotes.length === 0) return null;
  return (
    <table className="figures w-full text-sm">
      <caption className="pt-3 pb-1 text-left text-xs font-medium text-ink-faint">{title}</caption>
      <thead className="sr-only">
        <tr>
          <th scope="col">Symbol</th>
          <th scope="col">Price</th>
          <th scope="col">24h change</th>
        </tr>
      </thead>
      <tbody>
        {quotes.map((quote) => (
          <OverviewRow key={quote.symbol} quote={quote} />
        ))}
      </tbody>
    </table>
  );
}

function OverviewRow({ quote }: { quote: MarketQuote }) {
  const { symbol, price, change_percent, closes } = useLiveQuote(quote);
  return (
    <tr className="h-9 border-b border-line last:border-b-0">
      <th scope="row" className="text-left font-medium">
        <span className="flex items-center justify-between gap-3">
          <MarketLink symbol={symbol} />
          <span className="lg:max-xl:hidden">
            <Sparkline closes={closes} falling={change_percent < 0} />
          </span>
        </span>
      </th>
      <td className="w-27 text-right">{formatPrice(price)}</td>
      <td className="w-18 text-right">
        <Change percent={change_percent} />
      </td>
    </tr>
  );
}

const wide = "hidden md:table-cell";
const cryptoColumns = {
  Symbol: "pl-4 text-left sm:pl-5",
  Price: "",
  "24h change": "pr-4 sm:pr-5 md:pr-0",
  "24h high": wide,
  "24h low": wide,
  "Last 24 hours": `${wide} pr-5`,
};

export function CryptoPanel() {
  return (
    <MarketPanel title="Cryptocurrency Markets">
      {(quotes) => (
        <table className="figures w-full text-sm">
          <ColumnHeadings
            columns={cryptoColumns}
            className="h-10 border-b border-line text-right text-xs text-ink-faint"
          />
          <tbody>
            {quotes.filter(inGroup(crypto)).map((quote) => (
              <CryptoRow key={quote.symbol} quote={quote} />
            ))}
          </tbody>
        </table>
      )}
    </MarketPanel>
  );
}

function CryptoRow({ quote }: { quote: MarketQuote }) {
  const { symbol, price, change_percent, high, low, closes } = useLiveQuote(quote);
  return (
    <tr className="h-[50px] border-b border-line text-right last:border-b-0">
      <th scope="row" className="pl-4 text-left font-medium sm:pl-5">
        <MarketLink symbol={symbol} />
      </th>
      <td>{formatPrice(price)}</td>
      <td className="pr-4 sm:pr-5 md:pr-0">
        <Change percent={change_percent} />
      </td>
      <td className={`${wide} text-ink-muted`}>{formatPrice(high)}</td>
      <td className={`${wide} text-ink-muted`}>{formatPrice(low)}</td>
      <td className={`${wide} pr-5`}>
        <span className="flex justify-end">
          <Sparkline closes={closes} falling={change_percent < 0} />
        </span>
      </td>
    </tr>
  );
}

interface MarketPanelProps {
  title: string;
  children(quotes: MarketQuote[]): ReactNode;
}

function MarketPanel({ title, children }: MarketPanelProps) {
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
  const live = useLivePrice(quotes[0]?.symbol);
  const latest =
    quotes
      .map((quote) => quote.as_of)
      .toSorted()
      .at(-1) ?? "";
  return (
    <p className="flex h-11 shrink-0 items-center justify-between gap-4 border-b border-line px-4 text-xs sm:px-5">
      <span className={isDemo ? "text-wait" : "text-ink-muted"}>
        {isDemo ? "Demo data: recorded prices shifted to the present." : describeAge(live)}
      </span>
      {live && !live.isStale && !isDemo ? (
        <span className="shrink-0 text-ink-faint">Live</span>
      ) : (
        <time
          dateTime={live?.at ?? latest}
          title={formatUtc(live?.at ?? latest)}
          className="figures shrink-0 text-ink-faint"
        >
          {formatDateTime(live?.at ?? latest)}
        </time>
      )}
    </p>
  );
}

function describeAge(live: CurrentPrice | null): string {
  if (!live) return "Prices at the close of the last hour";
  return live.isStale ? "Live prices are interrupted" : "Current prices";
}

const BOX = { width: 72, height: 22 };

function Change({ percent }: { percent: number }) {
  return <span className={percent < 0 ? "text-sell" : "text-buy"}>{formatChange(percent)}</span>;
}

function Sparkline({ closes, falling }: { closes: readonly number[]; falling: boolean }) {
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 -1.5 ${BOX.width} ${BOX.height + 3}`}
      className={`h-6 w-18 ${falling ? "stroke-sell" : "stroke-buy"}`}
    >
      <polyline
        points={linePoints(closes, BOX)}
        fill="none"
        strokeWidth="1.5"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
    </svg>
  );
}

export function linePoints(
  values: readonly number[],
  box: { width: number; height: number },
): string {
  const low = Math.min(...values);
  const range = Math.max(...values) - low || 1;
  const step = box.width / Math.max(1, values.length - 1);
  return values
    .map((value, index) => {
      const y = box.height - ((value - low) / range) * box.height;
      return `${(index * step).toFixed(1)},${y.toFixed(1)}`;
    })
    .join(" ");
}

interface ScrollBoxProps {
  title: string;
  children: ReactNode;
  className: string;
}

/** Scrollable content. It takes the Tab focus only when it overflows, as not every browser does this itself. */
function ScrollBox({ title, children, className }: ScrollBoxProps) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      const overflows =
        element.scrollHeight > element.clientHeight || element.scrollWidth > element.clientWidth;
      element.tabIndex = overflows ? 0 : -1;
    });
    observer.observe(element);
    return () => observer.disconnect();
    // After each change of the content, which grows without a new size of the box.
  });
  return (
    <section ref={box} aria-label={title} className={`-outline-offset-2 ${className}`}>
      {children}
    </section>
  );
}

const NO_PRICES = "Prices will appear here in a moment.";
const PRICES_FAILED = "Market prices are not available at the moment.";
