import type { Activity } from "@shared/contract/performance.ts";
import { Feed } from "feed";
import type { ServerDeps } from "../../server-deps.ts";

const DEMO = "Demo record, from recorded candles";

/** An Atom feed of the last resolved trades. Each entry has the address of its outcome in the ledger. */
export function writeActivityFeed(
  { settings }: Pick<ServerDeps, "settings">,
  { data, items }: Activity,
): string {
  const { VITE_API_URL: apiUrl, CLIENT_ORIGIN } = settings;
  const label = data === "live" ? null : DEMO;
  const [newest] = items;
  const feed = new Feed({
    id: `${apiUrl}/feed.xml`,
    title: "AI Trading Bot: resolved signals",
    description: ["Signals whose outcome the market has determined.", label].join(" ").trim(),
    ...(CLIENT_ORIGIN[0] && { link: new URL("/performance", CLIENT_ORIGIN[0]).href }),
    feedLinks: { atom: `${apiUrl}/feed.xml` },
    updated: new Date(newest?.resolved_at ?? 0),
    copyright: "Not financial advice. Past performance is not indicative of future results.",
  });
  for (const { seq, symbol, timeframe, signal, outcome, r_multiple, resolved_at } of items) {
    const result = r_multiple === null ? "never entered" : formatR(r_multiple);
    const address = `${apiUrl}/ledger?after=${seq - 1}&limit=1`;
    const market = `${signal} ${symbol} ${timeframe}`;
    feed.addItem({
      ...{ id: address, link: address, date: new Date(resolved_at) },
      title: `${market}: ${outcome}, ${result}`,
      description: [`${market} ended as ${outcome} (${result}).`, label].join(" ").trim(),
    });
  }
  return feed.atom1();
}

const formatR = (r: number): string => `${r > 0 ? "+" : ""}${r.toFixed(2)} R`;
