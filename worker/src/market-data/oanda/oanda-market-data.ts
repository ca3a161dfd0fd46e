import type { Timeframe } from "@shared/contract/market-data.ts";
import { z } from "zod";
import { type CandleRow, closedCandles, openCandle, orderRows, toRow } from "../candles.ts";
import {
  type JsonAnswer,
  type RestCall,
  RestMarketData,
  type RestOptions,
} from "../rest-market-data.ts";

/** Maximum of one request. */
const MAX_COUNT = 5_000;

const price = z
  .union([z.string().min(1), z.number()])
  .pipe(z.coerce.number())
  .catch(Number.NaN);
const rowSchema = z.object({
  time: z.string(),
  complete: z.boolean().optional().catch(undefined),
  volume: z.number().optional().catch(undefined),
  mid: z.object({ o: price, h: price, l: price, c: price }).optional().catch(undefined),
});
const candlesSchema = z.object({ candles: z.array(z.unknown()) });
const errorSchema = z.object({ errorMessage: z.string() });

/** Mid prices of the instruments with a name at OANDA (`Instrument.oanda`) from OANDA's v20 API. */
export const createOandaMarketData = ({
  token,
  ...options
}: RestOptions & { token: string }): RestMarketData =>
  new RestMarketData({
    ...options,
    name: "oanda",
    headers: { authorization: `Bearer ${token}` },
    nameOf: ({ oanda }) => oanda,
    pingPath: candlesPath("EUR_USD", { timeframe: "1m", count: 1 }),
    fetchSeries,
  });

async function fetchSeries({ instrument, request, now, get, fail }: RestCall) {
  const { timeframe, limit } = request;
  const name = instrument.oanda ?? instrument.symbol;
  // One more than requested, as the newest is still open.
  const count = Math.min(limit + 1, MAX_COUNT);
  const answer = await get(candlesPath(name, { timeframe, count, until: request.until }));
  if (answer.status >= 400) throw refusal(answer, fail);
  const parsed = candlesSchema.safeParse(answer.body);
  if (!parsed.success) throw fail("nonsense", "the answer holds no candles");
  const shown = parsed.data.candles.flatMap(readRow);
  const all = orderRows(shown, timeframe, now);
  const openTimes = new Set(shown.flatMap(({ time, complete }) => (complete ? [] : [time])));
  const rows = all.map((row) => (openTimes.has(row.time) ? { ...row, candle: null } : row));
  const { hours } = instrument;
  const closedUntil = firstOpen(rows, openTimes) ?? now;
  const candles = closedCandles(rows, { timeframe, count: limit, closedUntil, hours });
  return {
    candles,
    shownUntil: Math.min(rows.at(-1)?.time ?? 0, closedUntil),
    ...(request.withOpen && { open: openCandle(all, { closed: candles, timeframe }) }),
    market: { hours, delayMs: 0 },
  };
}

function readRow(row: unknown): (CandleRow & { complete: boolean })[] {
  const { data } = rowSchema.safeParse(row);
  if (!data) return [];
  const { time, volume, complete = true, mid } = data;
  const fields = { open: mid?.o, high: mid?.h, low: mid?.l, close: mid?.c, volume };
  return toRow({ time: unixMs(time), ...fields }).map((parsed) => ({ ...parsed, complete }));
}

/** Candles may still change from this one on: just after a close, two are not complete. */
function firstOpen(rows: readonly CandleRow[], openTimes: ReadonlySet<number>): number | undefined {
  const newestComplete = rows.findLast(({ candle }) => candle)?.time ?? 0;
  return rows.find(({ time }) => time > newestComplete && openTimes.has(time))?.time;
}

/** Aligned to Unix time, days too. */
function candlesPath(
  name: string,
  { timeframe, count, until }: { timeframe: Timeframe; count: number; until?: number | undefined },
): string {
  const query = new URLSearchParams({
    granularity: granularityOf(timeframe),
    count: String(count),
    price: "M",
    dailyAlignment: "0",
    alignmentTimezone: "UTC",
    ...(until !== undefined && { to: new Date(until).toISOString() }),
  });
  return `/v3/instruments/${encodeURIComponent(name)}/candles?${query}`;
}

/** `M5`, `H1` or `D` (https://developer.oanda.com/rest-live-v20/instrument-df/#CandlestickGranularity). */
function granularityOf(timeframe: Timeframe): string {
  if (timeframe === "1d") return "D";
  return `${timeframe.slice(-1).toUpperCase()}${timeframe.slice(0, -1)}`;
}

/** RFC 3339 or seconds with decimals, depending on the account's settings. */
function unixMs(time: string): number {
  return /^\d+(\.\d+)?$/.test(time) ? Number(time) * 1_000 : Date.parse(time);
}

/** OANDA responds 400 to an unknown instrument and to any other bad request. */
function refusal({ status, body }: JsonAnswer, fail: RestCall["fail"]) {
  const message = errorSchema.safeParse(body).data?.errorMessage ?? "";
  if (status === 404 || /instrument/i.test(message)) {
    return fail("unknown-symbol", "the instrument is not listed");
  }
  return fail("refused", `answered with status ${status}`);
}
