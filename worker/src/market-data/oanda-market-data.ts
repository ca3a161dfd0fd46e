import { candleSchema, type Timeframe } from "@shared/contract/candle.ts";
import { z } from "zod";
import { tradedCandles } from "./candles.ts";
import type { RequestLimits } from "./fetch-body.ts";
import {
  type JsonAnswer,
  type RestCall,
  type RestDialect,
  RestMarketData,
} from "./rest-market-data.ts";

const GRANULARITY: Record<Timeframe, string> = {
  "1m": "M1",
  "5m": "M5",
  "15m": "M15",
  "30m": "M30",
  "1h": "H1",
  "4h": "H4",
  "1d": "D",
};

/** Maximum of one request. */
const MAX_COUNT = 5_000;

const price = z.coerce.number();
const candlesSchema = z.object({
  candles: z.array(
    z.object({
      time: z.string(),
      complete: z.boolean().optional(),
      volume: z.number().optional(),
      mid: z.object({ o: price, h: price, l: price, c: price }),
    }),
  ),
});
const errorSchema = z.object({ errorMessage: z.string() });

export function createOandaMarketData(options: {
  token: string;
  baseUrl: string;
  now: () => number;
  limits?: RequestLimits | undefined;
}): RestMarketData {
  const { token, baseUrl, ...rest } = options;
  const dialect: RestDialect = {
    name: "oanda",
    baseUrl,
    headers: { authorization: `Bearer ${token}` },
    nameOf: ({ oanda }) => oanda,
    pingPath: candlesPath({ name: "EUR_USD", timeframe: "1m", count: 1 }),
    fetchSeries,
  };
  return new RestMarketData({ dialect, ...rest });
}

async function fetchSeries({ instrument, request, now, get, fail }: RestCall) {
  const { timeframe, limit } = request;
  const name = instrument.oanda ?? instrument.symbol;
  // One more than asked for, as the newest is still open.
  const count = Math.min(limit + 1, MAX_COUNT);
  const answer = await get(candlesPath({ name, timeframe, count, until: request.until }));
  if (answer.status >= 400) throw refusal(answer, fail);
  const parsed = candlesSchema.safeParse(answer.body);
  if (!parsed.success) throw fail("nonsense", "the answer holds no candles");
  const rows = parsed.data.candles
    .filter(({ complete }) => complete !== false)
    .flatMap(({ time, volume = 0, mid }) => {
      const { o: open, h: high, l: low, c: close } = mid;
      const row = { time: unixMs(time), open, high, low, close, volume };
      return candleSchema.safeParse(row).data ?? [];
    });
  return {
    candles: tradedCandles(rows, { timeframe, count: limit, closedUntil: now }),
    market: { hours: instrument.hours, delayMs: 0 },
  };
}

/** Aligned to Unix time, days too. */
function candlesPath(options: {
  name: string;
  timeframe: Timeframe;
  count: number;
  until?: number | undefined;
}): string {
  const query = new URLSearchParams({
    granularity: GRANULARITY[options.timeframe],
    count: String(options.count),
    price: "M",
    dailyAlignment: "0",
    alignmentTimezone: "UTC",
    ...(options.until !== undefined && { to: new Date(options.until).toISOString() }),
  });
  return `/v3/instruments/${encodeURIComponent(options.name)}/candles?${query}`;
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
