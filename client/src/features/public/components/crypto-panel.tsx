import type { MarketQuote } from "@shared/contract/markets.ts";
import { ColumnHeadings } from "../../../ui/column-headings.tsx";
import { MarketPanel } from "./market-panel.tsx";
import { Change, formatQuote, Sparkline } from "./market-quotes.tsx";

const wide = "hidden md:table-cell";
const columns = {
  Symbol: "pl-4 text-left sm:pl-5",
  Price: "",
  "24h change": "pr-4 sm:pr-5 md:pr-0",
  "24h high": wide,
  "24h low": wide,
  "Last 24 hours": `${wide} pr-5`,
};
const isCrypto = ({ symbol }: MarketQuote) => symbol.endsWith("/USDT");

export function CryptoPanel() {
  return (
    <MarketPanel title="Cryptocurrency Markets">
      {(quotes) => (
        <table className="figures w-full text-sm">
          <ColumnHeadings
            columns={columns}
            className="h-10 border-b border-line text-right text-xs text-ink-faint"
          />
          <tbody>
            {quotes.filter(isCrypto).map((quote) => (
              <Row key={quote.symbol} quote={quote} />
            ))}
          </tbody>
        </table>
      )}
    </MarketPanel>
  );
}

function Row({ quote }: { quote: MarketQuote }) {
  const { symbol, price, change_percent, high, low, closes } = quote;
  return (
    <tr className="h-[50px] border-b border-line text-right last:border-b-0">
      <th scope="row" className="pl-4 text-left font-medium sm:pl-5">
        {symbol}
      </th>
      <td>{formatQuote(price)}</td>
      <td className="pr-4 sm:pr-5 md:pr-0">
        <Change percent={change_percent} />
      </td>
      <td className={`${wide} text-ink-muted`}>{formatQuote(high)}</td>
      <td className={`${wide} text-ink-muted`}>{formatQuote(low)}</td>
      <td className={`${wide} pr-5`}>
        <span className="flex justify-end">
          <Sparkline closes={closes} falling={change_percent < 0} />
        </span>
      </td>
    </tr>
  );
}
