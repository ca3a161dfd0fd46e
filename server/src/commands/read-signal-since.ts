import { type Candle, TIMEFRAME_MS } from "@shared/contract/candle.ts";
import type { SignalSince } from "@shared/contract/signal-page.ts";
import type { Database } from "@shared/node/database.ts";
import type { SignalRecord } from "@shared/node/models/signal.ts";
import { marketKey } from "@shared/node/models/signal-since.ts";
import type { UserRecord } from "@shared/node/models/user.ts";
import type { ServerDeps } from "../server-deps.ts";
import { findSignal } from "./find-signal.ts";

/** More candles than this nobody follows a signal for. */
const MAX_CANDLES = 500;

/**
 * What has happened since a signal was made, for its owner or an administrator.
 * @throws AppError `not-found`
 */
export async function readSignalSince(
  { database }: Pick<ServerDeps, "database">,
  user: Pick<UserRecord, "_id" | "role">,
  id: unknown,
): Promise<SignalSince> {
  const signal = await findSignal({ database }, user.role === "admin" ? null : user, id);
  return {
    signal_id: signal._id.toString(),
    symbol: signal.symbol,
    timeframe: signal.timeframe,
    judgement: signal.judgement ?? null,
    candles: await candlesSince(database, signal),
    shared_at: signal.sharedAt?.toISOString() ?? null,
  };
}

/**
 * The closed candles since a signal was made, the one that it was made in included. Once it is judged, they are those
 * that it was judged by; until then, what the workers last read of its market. None where nothing is judged.
 */
export async function candlesSince(database: Database, signal: SignalRecord): Promise<Candle[]> {
  const { symbol, timeframe, analysis } = signal;
  if (signal.judgement)
    return (await database.signalSince.findById(signal._id).lean())?.candles ?? [];
  if (!analysis || analysis.final_signal === "WAIT" || signal.status !== "completed") return [];
  const { data, provider } = analysis.source;
  const key = marketKey({ data, provider, symbol, timeframe });
  const market = await database.marketCandles.findById(key).lean();
  const madeAt = (signal.finishedAt ?? signal.createdAt).getTime();
  const since = market?.candles.filter(({ time }) => time + TIMEFRAME_MS[timeframe] > madeAt);
  return since?.slice(0, MAX_CANDLES) ?? [];
}
