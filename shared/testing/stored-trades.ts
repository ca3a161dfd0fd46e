import type { Analysis } from "@shared/contract/signal.ts";
import type { Database } from "@shared/node/database.ts";
import type { SignalRecord } from "@shared/node/models/signal.ts";
import type { UserRecord } from "@shared/node/models/user.ts";
import { createSignals, type SignalOverrides, WAIT_ANALYSIS } from "./signal-factory.ts";

/** Ledger numbers are unique. */
let ledgerSeq = 0;

/** Stores a BUY of live data at 100, to lose 5 or to win 10, recorded in the ledger and due to be resolved. */
export async function storeTrade(
  database: Database,
  user: UserRecord,
  { madeAt, analysis, market, ...fields }: SignalOverrides & { madeAt: Date },
): Promise<SignalRecord> {
  ledgerSeq += 1;
  const [signal] = await createSignals(database, user, {
    symbol: "MADE/USDT",
    createdAt: madeAt,
    finishedAt: madeAt,
    market: { resolveAt: madeAt, ledgerSeq, ...market },
    analysis: analysis ?? tradeAnalysis(madeAt),
    ...fields,
  });
  if (!signal) throw new Error("no signal was stored");
  return signal;
}

/** What such a signal says. */
export function tradeAnalysis(madeAt: Date, changes: Partial<Analysis> = {}): Analysis {
  return {
    ...WAIT_ANALYSIS,
    final_signal: "BUY",
    entry: 100,
    stop_loss: 95,
    take_profit: 110,
    suggested_hold: "6 candles",
    source: {
      ...WAIT_ANALYSIS.source,
      data: "live",
      provider: "scripted",
      last_candle_at: madeAt.toISOString(),
      price: 100,
    },
    ...changes,
  };
}
