import type { Candle } from "@shared/contract/candle.ts";
import type { Database } from "@shared/node/database.ts";

/** More than any pending signal shows. */
const MAX_CANDLES = 600;

/** Keeps what was read of a market, for the pictures of the signals that wait on it. */
export async function keepMarketCandles(
  { database, now }: { database: Database; now: () => Date },
  { key, candles }: { key: string; candles: readonly Candle[] },
): Promise<void> {
  const newest = candles.at(-1);
  if (!newest) return;
  const kept = await database.marketCandles.findById(key).lean();
  const [first] = candles;
  const isKept =
    kept?.candles.at(-1)?.time === newest.time &&
    (kept.candles[0]?.time ?? newest.time) <= (first?.time ?? 0);
  if (isKept) return;
  const byTime = new Map([...(kept?.candles ?? []), ...candles].map((one) => [one.time, one]));
  const merged = [...byTime.values()].sort((a, b) => a.time - b.time).slice(-MAX_CANDLES);
  await database.marketCandles.updateOne(
    { _id: key },
    { $set: { candles: merged, updatedAt: now() } },
    { upsert: true },
  );
}
