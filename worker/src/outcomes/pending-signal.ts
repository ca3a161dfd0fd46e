import { validUntil } from "@shared/contract/validity.ts";
import type { SignalCollection } from "@shared/node/ledger/number-signals.ts";
import type { SignalRecord } from "@shared/node/models/signal.ts";
import type { Market } from "./candle-archive.ts";
import { holdLimit } from "./hold-limit.ts";
import type { Trade } from "./trade.ts";

/** What the resolver reads of a signal. */
export const PENDING_FIELDS = {
  userId: 1,
  symbol: 1,
  timeframe: 1,
  createdAt: 1,
  finishedAt: 1,
  "analysis.final_signal": 1,
  "analysis.entry": 1,
  "analysis.stop_loss": 1,
  "analysis.take_profit": 1,
  "analysis.suggested_hold": 1,
  "analysis.hold_candles": 1,
  "analysis.valid_until": 1,
  "analysis.source": 1,
} as const;

export type StoredSignal = Pick<
  SignalRecord,
  "_id" | "symbol" | "timeframe" | "createdAt" | "finishedAt" | "analysis"
> & {
  /** Absent where the history was cleared. */
  userId?: SignalRecord["userId"];
};

/** A stored signal as its judge sees it. */
export interface PendingSignal {
  id: StoredSignal["_id"];
  /** Where it is stored: a signal whose history was cleared is judged like every other. */
  from: SignalCollection;
  /** Who is told; nobody where the history was cleared. */
  userId: StoredSignal["userId"];
  market: Market;
  trade: Trade;
}

/** The trade that a stored signal advises, and where; null for one that advises none. */
export function pendingSignal(signal: StoredSignal, from: SignalCollection): PendingSignal | null {
  const { _id: id, userId, symbol, timeframe, analysis } = signal;
  if (!analysis || analysis.final_signal === "WAIT") return null;
  const { final_signal: side, entry, stop_loss, take_profit, suggested_hold, source } = analysis;
  if (entry === null || stop_loss === null || take_profit === null) return null;
  const { data, provider } = source;
  if (data === "none") return null;
  // What the market did while the signal was in the making, its reader could not act on.
  const madeAt = signal.finishedAt ?? signal.createdAt;
  const lastCandleAt = Date.parse(source.last_candle_at ?? signal.createdAt.toISOString());
  return {
    id,
    from,
    userId,
    market: { data, provider, symbol, timeframe },
    trade: {
      symbol,
      timeframe,
      side,
      entry,
      stopLoss: stop_loss,
      takeProfit: take_profit,
      price: source.price ?? entry,
      createdAt: madeAt.getTime(),
      validUntil: analysis.valid_until
        ? Date.parse(analysis.valid_until)
        : validUntil({ timeframe, lastCandleAt }),
      holdCandles: holdLimit({
        candles: analysis.hold_candles ?? null,
        text: suggested_hold,
        timeframe,
        from: lastCandleAt,
      }),
    },
  };
}
