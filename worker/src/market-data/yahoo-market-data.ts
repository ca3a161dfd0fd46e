import { DAY_MS } from "@shared/contract/constants.ts";
import type { TradingHours } from "@shared/contract/instruments.ts";
import {
  type Candle,
  candleSchema,
  TIMEFRAME_MS,
  type Timeframe,
} from "@shared/contract/market-data.ts";
import { isOpen } from "@shared/domain/trading-hours.ts";
import { z } from "zod";
import {
  openCandle,
  openingTime,
  resampleTraded,
  sourceTimeframe,
  tradedCandles,
} from "./candles.ts";
import { type RestCall, RestMarketData, type RestOptions } from "./rest-market-data.ts";

/** Delay of futures quotes, at most. */
const DELAY_MS = 20 * 60_000;

/** A day starts at midnight of its exchange: in London, in summer, an hour before midnight UTC. */
const DAY_BEGINS_EARLY_MS = 2 * 3_600_000;

/** Yahoo rejects clients without a user agent. */
const USER_AGENT = "Mozilla/5.0 (compatible; ai-trading-signals)";

/** Candles of forex, metals, indices and oil from Yahoo's keyless chart endpoint. */
export const createYahooMarketData = (options: RestOptions): RestMarketData =>
  new RestMarketData({
    ...options,
    name: "yahoo",
    headers: { "user-agent": USER_AGENT },
    nameOf: ({ yahoo }) => yahoo?.ticker,
    pingPath: `${pathOf("EURUSD=X")}?interval=1d&range=5d`,
    fetchSeries,
  });

async function fetchSeries({ instrument, request, now, get, fail }: RestCall) {
  const { timeframe, limit } = request;
  const { ticker, hours } = instrument.yahoo ?? { ticker: instrument.symbol, ...instrument };
  const source = sourceTimeframe(timeframe, sourcesFor(hours)) ?? timeframe;
  // One more than requested, as the oldest may be incomplete where longer candles are built.
  const from = now - historyMs({ timeframe, source, hours, count: limit + 1 });
  const query = new URLSearchParams({
    interval: source,
    period1: unixSeconds(openingTime(from, timeframe)),
    period2: unixSeconds(now),
  });
  const { status, body } = await get(`${pathOf(ticker)}?${query}`);
  const chart = readChart(body);
  if (chart?.kind === "error" && (status === 404 || /not found/i.test(chart.code))) {
    throw fail("unknown-symbol", "the ticker is not listed");
  }
  if (status >= 400) throw fail("refused", `answered with status ${status}`);
  if (chart?.kind !== "rows") throw fail("nonsense", "the answer holds no chart");
  const { quotedAt = now } = chart;
  // A feed that lags behind the clock may still change a candle that has closed by the clock.
  const closedUntil = Math.min(now, Math.max(quotedAt, now - DELAY_MS));
  const rows = withoutLastQuote(onGrid(chart.rows, source), { hours, source });
  const resampled = resampleRows(rows, { source, timeframe, closedUntil });
  const candles = tradedCandles(resampled, { timeframe, count: limit, closedUntil });
  return {
    candles,
    ...(request.withOpen && { open: openCandle(rows, { closed: candles, timeframe }) }),
    market: { hours, delayMs: DELAY_MS },
  };
}

const pathOf = (ticker: string) => `/v8/finance/chart/${encodeURI(ticker)}`;

const unixSeconds = (time: number) => String(Math.ceil(time / 1_000));

/** Days by their date. Of two rows of the same day, `tradedCandles` takes the later one. */
function onGrid(rows: Candle[], source: Timeframe): Candle[] {
  if (source !== "1d") return rows;
  return rows.map((row) => ({ ...row, time: openingTime(row.time + DAY_BEGINS_EARLY_MS, "1d") }));
}

/** The last quote is an extra row with its own time. */
function withoutLastQuote(
  rows: Candle[],
  { hours, source }: { hours: TradingHours; source: Timeframe },
): Candle[] {
  const last = rows.at(-1);
  if (!last || source === "1d") return rows;
  const isStray = openingTime(last.time, source) !== last.time;
  return isStray || !isOpen(hours, last.time) ? rows.slice(0, -1) : rows;
}

function resampleRows(
  rows: Candle[],
  options: { source: Timeframe; timeframe: Timeframe; closedUntil: number },
): Candle[] {
  const { source, timeframe, closedUntil } = options;
  if (source === timeframe) return rows;
  const parts = tradedCandles(rows, { timeframe: source, count: rows.length, closedUntil });
  return resampleTraded(parts, { lengthMs: TIMEFRAME_MS[timeframe], closedUntil });
}

/** Limits of the endpoint, minus a day. */
const HISTORY_DAYS: Partial<Record<Timeframe, number>> = {
  "1m": 7,
  "5m": 59,
  "15m": 59,
  "30m": 59,
  "1h": 729,
  "1d": 3_650,
};

const OPEN_SHARE: Record<TradingHours, number> = {
  always: 1,
  forex: 5 / 7,
  futures: ((23 / 24) * 5) / 7,
  "us-stocks": ((6.5 / 24) * 5) / 7,
};
const WEEKDAYS_SHARE = 5 / 7;

/** Holidays and quiet times, and at least a long weekend. */
const SPARE_SHARE = 1.1;
const SPARE_DAYS = 5;

function historyMs(options: {
  timeframe: Timeframe;
  source: Timeframe;
  hours: TradingHours;
  count: number;
}): number {
  const { timeframe, source, hours, count } = options;
  const share = timeframe === "1d" ? WEEKDAYS_SHARE : OPEN_SHARE[hours];
  const openDays = (count * TIMEFRAME_MS[timeframe]) / DAY_MS;
  const neededDays = (openDays / share) * SPARE_SHARE + SPARE_DAYS;
  return Math.min(neededDays, HISTORY_DAYS[source] ?? neededDays) * DAY_MS;
}

/** There are no 4-hour rows, and hourly rows of stocks start at half past, so stocks are built from 30-minute rows. */
function sourcesFor(hours: TradingHours): string[] {
  const sources = Object.keys(HISTORY_DAYS);
  return hours === "us-stocks" ? sources.filter((source) => source !== "1h") : sources;
}

const column = z.array(z.number().nullable()).optional();

const resultSchema = z.object({
  meta: z.object({ regularMarketTime: z.number().optional().catch(undefined) }).optional(),
  timestamp: z.array(z.number()).optional(),
  indicators: z.object({
    quote: z.array(
      z.object({ open: column, high: column, low: column, close: column, volume: column }),
    ),
  }),
});

const chartSchema = z.object({
  chart: z.object({
    result: z.array(resultSchema).nullish(),
    error: z.object({ code: z.string().optional(), description: z.string().optional() }).nullish(),
  }),
});

type ChartAnswer =
  | { kind: "rows"; rows: Candle[]; quotedAt: number | undefined }
  | { kind: "error"; code: string };

/** Rows without trades are nulls and left out. `quotedAt` is in Unix milliseconds. */
export function readChart(body: unknown): ChartAnswer | undefined {
  const parsed = chartSchema.safeParse(body);
  if (!parsed.success) return undefined;
  const { result, error } = parsed.data.chart;
  if (error) return { kind: "error", code: error.code ?? "" };
  const [chart] = result ?? [];
  if (!chart) return undefined;
  const quotedAt = chart.meta?.regularMarketTime;
  return {
    kind: "rows",
    rows: rowsOf(chart),
    quotedAt: quotedAt === undefined ? undefined : quotedAt * 1_000,
  };
}

function rowsOf({ timestamp = [], indicators }: z.infer<typeof resultSchema>): Candle[] {
  const [quote] = indicators.quote;
  return timestamp.flatMap((seconds, index) => {
    const row = {
      time: seconds * 1_000,
      open: shortest(quote?.open?.[index]),
      high: shortest(quote?.high?.[index]),
      low: shortest(quote?.low?.[index]),
      close: shortest(quote?.close?.[index]),
      volume: quote?.volume?.[index] ?? 0,
    };
    return candleSchema.safeParse(row).data ?? [];
  });
}

/** Digits that distinguish any two single precision numbers. */
const SINGLE_DIGITS = { min: 6, max: 9 } as const;

/**
 * Prices are sent in single precision: 2034.2 arrives as 2034.199951171875. Returns the shortest number with the same
 * value.
 */
export function shortest(price: number | null | undefined): number | null {
  if (price === null || price === undefined) return null;
  if (Math.fround(price) !== price) return price;
  for (let digits: number = SINGLE_DIGITS.min; digits < SINGLE_DIGITS.max; digits += 1) {
    const short = Number(price.toPrecision(digits));
    if (Math.fround(short) === price) return short;
  }
  return price;
}
