import type { MarketQuote } from "@shared/contract/markets.ts";
import { MarketPanel } from "./market-panel.tsx";
import { Change, formatQuote, Sparkline } from "./market-quotes.tsx";

/** Symbols that no group names are crypto. */
const columns = [
  [{ title: "Crypto", symbols: null }],
  [
    { title: "Forex", symbols: ["EUR/USD", "GBP/USD", "AUD/USD", "USD/JPY"] },
    { title: "Metals", symbols: ["XAU/USD", "XAG/USD"] },
  ],
  [
    { title: "Indices", symbols: ["US30", "NAS100", "SPX500"] },
    { title: "Oil", symbols: ["WTI", "BRENT"] },
  ],
];
const named = columns.flat().flatMap((group) => group.symbols ?? []);

export function OverviewPanel() {
  return (
    <MarketPanel title="Market Overview">
      {(quotes) => (
        <div className="grid gap-x-8 px-4 pb-3 sm:px-5 md:grid-cols-2 lg:grid-cols-3">
          {columns.map((groups) => (
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

const inGroup = (symbols: readonly string[] | null) => (quote: MarketQuote) =>
  symbols ? symbols.includes(quote.symbol) : !named.includes(quote.symbol);

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
        {quotes.map(({ symbol, price, change_percent, closes }) => (
          <tr key={symbol} className="h-[37px] border-b border-line last:border-b-0">
            <th scope="row" className="text-left font-medium">
              <span className="flex items-center justify-between gap-3">
                {symbol}
                <span className="lg:max-xl:hidden">
                  <Sparkline closes={closes} falling={change_percent < 0} />
                </span>
              </span>
            </th>
            <td className="w-27 text-right">{formatQuote(price)}</td>
            <td className="w-18 text-right">
              <Change percent={change_percent} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
