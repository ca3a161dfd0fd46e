import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Candle } from "@shared/contract/market-data.ts";
import { type Model, mongo } from "mongoose";
import { z } from "zod";
import { readEach } from "./database.ts";
import type { CandlesRecord } from "./models/market-analysis.ts";

const rowsSchema = z.array(
  z.tuple([z.number(), z.number(), z.number(), z.number(), z.number(), z.number()]),
);

/** The candles of an analysis as they are stored: compressed rows, which take a fifth of the objects. */
export function packCandles(candles: readonly Candle[]): Pick<CandlesRecord, "packed"> {
  const rows = candles.map((c) => [c.time, c.open, c.high, c.low, c.close, c.volume]);
  return { packed: deflateRawSync(JSON.stringify(rows)) };
}

function unpackCandles(packed: Uint8Array): Candle[] {
  const rows = rowsSchema.parse(JSON.parse(inflateRawSync(packed).toString()));
  return rows.map(([time, open, high, low, close, volume]) => ({
    time,
    open,
    high,
    low,
    close,
    volume,
  }));
}

/** Candles stored for an analysis, oldest first; none if it has none. Earlier versions stored them as objects. */
export async function readCandles(
  model: Model<CandlesRecord>,
  _id: CandlesRecord["_id"],
): Promise<Candle[]> {
  return candlesOf(await model.findById(_id).lean());
}

/** Unpacking those of so many analyses takes some milliseconds; the server does other work before the next ones. */
const BATCH = 50;

/** The same of many analyses, by their ids, in any order. */
export async function* readManyCandles(
  model: Model<CandlesRecord>,
  ids: readonly CandlesRecord["_id"][],
): AsyncGenerator<[string, Candle[]]> {
  if (ids.length === 0) return;
  const stored = model.find({ _id: { $in: [...ids] } }).batchSize(BATCH);
  for await (const record of readEach(stored.lean())) {
    yield [String(record._id), candlesOf(record)];
  }
}

function candlesOf(stored: CandlesRecord | null): Candle[] {
  if (stored?.packed === undefined) return stored?.candles ?? [];
  const { packed } = stored;
  return unpackCandles(packed instanceof mongo.Binary ? packed.read(0, packed.length()) : packed);
}
