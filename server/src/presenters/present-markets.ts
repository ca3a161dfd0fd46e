import type { Markets } from "@shared/contract/markets.ts";
import type {
  MarketQuoteRecord,
  MarketSnapshotRecord,
} from "@shared/node/models/market-snapshot.ts";

/** The answer of `GET /markets`; without a snapshot nothing is known yet. */
export function presentMarkets(snapshot: MarketSnapshotRecord | null): Markets {
  if (!snapshot) return { markets: [], updated_at: null };
  return {
    markets: snapshot.quotes.map(presentQuote),
    updated_at: snapshot.updatedAt.toISOString(),
  };
}

function presentQuote(quote: MarketQuoteRecord): Markets["markets"][number] {
  const { symbol, price, changePercent, high, low, closes, data, asOf } = quote;
  return {
    symbol,
    price,
    change_percent: changePercent,
    high,
    low,
    closes,
    data,
    as_of: asOf.toISOString(),
  };
}
