import { DEFAULT_PRODUCT_NAME } from "@shared/contract/branding.ts";
import { type Activity, MAX_ACTIVITY } from "@shared/contract/performance.ts";
import type { Database } from "@shared/database/database.ts";
import { Feed } from "feed";
import type { ServerDeps } from "../../server-deps.ts";

/** The last resolved trades whose outcome is in the ledger, and so public. Live and demo data are never combined. */
export async function readActivity(database: Database): Promise<Activity> {
  const live = await readItems(database, "live");
  if (live.length > 0) return { data: "live", items: live };
  return { data: "replay", items: await readItems(database, "replay") };
}

type Item = Activity["items"][number];

async function readItems({ marketAnalyses }: Database, data: Activity["data"]): Promise<Item[]> {
  const resolved = await marketAnalyses
    .find({
      "result.analysis.source.data": data,
      outcome: { $exists: true },
      outcomeLedgerSeq: { $exists: true },
    })
    .sort({ "resolution.resolved_at": -1 })
    .limit(MAX_ACTIVITY)
    .select({ symbol: 1, timeframe: 1, resolution: 1, outcomeLedgerSeq: 1 })
    .select({ "result.analysis.final_signal": 1, "result.analysis.entry": 1 })
    .select({ "result.analysis.stop_loss": 1, "result.analysis.take_profit": 1 })
    .lean();
  return resolved.flatMap(({ symbol, timeframe, resolution, outcomeLedgerSeq: seq, result }) => {
    if (!resolution || seq === undefined || !result) return [];
    const { final_signal: signal, entry, stop_loss, take_profit } = result.analysis;
    if (signal === "WAIT" || entry === null || stop_loss === null || take_profit === null)
      return [];
    const { outcome, r_multiple, resolved_at, reason } = resolution;
    const levels = { entry, stop_loss, take_profit };
    return [
      { seq, symbol, timeframe, signal, ...levels, outcome, r_multiple, reason, resolved_at },
    ];
  });
}

const DEMO = "Demo record, from recorded candles";

/** An Atom feed of the last resolved trades. Each entry has the address of its outcome in the ledger. */
export function writeActivityFeed(
  { settings }: Pick<ServerDeps, "settings">,
  { data, items }: Activity,
  product = DEFAULT_PRODUCT_NAME,
): string {
  const { VITE_API_URL: apiUrl, CLIENT_ORIGIN } = settings;
  const label = data === "live" ? null : DEMO;
  const [newest] = items;
  const feed = new Feed({
    id: `${apiUrl}/feed.xml`,
    title: `${product}: resolved signals`,
    description: ["Signals whose outcome the market has determined.", label].join(" ").trim(),
    ...(CLIENT_ORIGIN[0] && { link: new URL("/performance", CLIENT_ORIGIN[0]).href }),
    feedLinks: { atom: `${apiUrl}/feed.xml` },
    updated: new Date(newest?.resolved_at ?? 0),
    copyright: "Not financial advice. Past performance is not indicative of future results.",
  });
  for (const { seq, symbol, timeframe, signal, outcome, resolved_at, ...end } of items) {
    const result = resultText(end);
    const address = `${apiUrl}/ledger?after=${seq - 1}&limit=1`;
    const market = `${signal} ${symbol} ${timeframe}`;
    feed.addItem({
      id: address,
      link: address,
      date: new Date(resolved_at),
      title: `${market}: ${outcome}, ${result}`,
      description: [`${market} ended as ${outcome} (${result}).`, label].join(" ").trim(),
    });
  }
  return feed.atom1();
}

function resultText({ r_multiple: r, reason }: Pick<Item, "r_multiple" | "reason">): string {
  const result = r === null ? "never entered" : formatR(r);
  if (reason !== "no-data") return result;
  return r === null ? "no more prices" : `${result}, no more prices`;
}

const formatR = (r: number): string => `${r > 0 ? "+" : ""}${r.toFixed(2)} R`;
