import { type Activity, MAX_ACTIVITY } from "@shared/contract/performance.ts";
import type { Database } from "@shared/database/database.ts";

/** The last resolved trades whose outcome is in the ledger, and so public. Live and demo data are never combined. */
export async function readActivity(database: Database): Promise<Activity> {
  const live = await readItems(database, "live");
  if (live.length > 0) return { data: "live", items: live };
  return { data: "replay", items: await readItems(database, "replay") };
}

async function readItems(
  { marketAnalyses }: Pick<Database, "marketAnalyses">,
  data: Activity["data"],
): Promise<Activity["items"]> {
  const resolved = await marketAnalyses
    .find({
      ...{ "result.analysis.source.data": data, outcome: { $exists: true } },
      outcomeLedgerSeq: { $exists: true },
    })
    .sort({ "resolution.resolved_at": -1 })
    .limit(MAX_ACTIVITY)
    .select({ symbol: 1, timeframe: 1, resolution: 1, outcomeLedgerSeq: 1 })
    .select({ "result.analysis.final_signal": 1 })
    .lean();
  return resolved.flatMap(({ symbol, timeframe, resolution, outcomeLedgerSeq: seq, result }) => {
    const signal = result?.analysis.final_signal;
    if (!resolution || seq === undefined || !signal || signal === "WAIT") return [];
    const { outcome, r_multiple, resolved_at } = resolution;
    return { seq, symbol, timeframe, signal, outcome, r_multiple, resolved_at };
  });
}
