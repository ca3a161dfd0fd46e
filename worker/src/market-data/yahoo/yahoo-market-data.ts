import { DAY_MS } from "@shared/contract/constants.ts";
import type { TradingHours } from "@shared/contract/instruments.ts";
import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { isOpen } from "@shared/domain/trading-hours.ts";
import { z } from "zod";
import {
  type CandleRow,
  closedCandles,
  openCandle,
  openingTime,
  orderRows,
  resampleTraded,
  sourceTimeframe,
  toRow,
} from "../candles.ts";
import { type RestCall, RestMarketData, type RestOptions } from "../rest-market-data.ts";

/** Delay of futures quotes, at most. */
const DELAY_MS = 20 * 60_000;

/** A day starts at midnight of its exchange: in London, in summer, an hour before midnight UTC. */
const DAY_BEGINS_EARLY_MS = 2 * 3_600_000;

/** Yahoo rejects clients without a user agent. */
const USER_AGENT = "Mozilla/5.0 (compatible; ai-trading-signals)";

/** Candles of the instruments with a ticker (`Instrument.yahoo`) from Yahoo's keyless chart endpoint. */
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
  const shown = orderRows(onGrid(chart.rows, source), source, now);
  const rows = withoutLastQuote(shown, { hours, source });
  const count = Math.ceil((now - from) / TIMEFRAME_MS[source]);
  const parts = closedCandles(rows, { timeframe: source, count, closedUntil, hours });
  const candles = inTimeframe(parts, { source, timeframe, closedUntil, hours }).slice(-limit);
  return {
    candles,
    shownUntil: Math.min(rows.at(-1)?.time ?? 0, closedUntil),
    ...(request.withOpen && { open: openCandle(rows, { closed: candles, timeframe }) }),
    market: { hours, delayMs: DELAY_MS },
  };
}

const pathOf = (ticker: string) => `/v8/finance/chart/${encodeURI(ticker)}`;

const unixSeconds = (time: number) => String(Math.ceil(time / 1_000));

/** Days by their date. */
function onGrid(rows: readonly CandleRow[], source: Timeframe): readonly CandleRow[] {
  if (source !== "1d") return rows;
  return rows.map((row) => {
    const time = openingTime(row.time + DAY_BEGINS_EARLY_MS, "1d");
    return { time, candle: row.candle && { ...row.candle, time } };
  });
}

/** The last quote is an extra row with its own time; while the market is closed, it may be on the grid. */
function withoutLastQuote(
  rows: readonly CandleRow[],
  { hours, source }: { hours: TradingHours; source: Timeframe },
): readonly CandleRow[] {
  const last = rows.at(-1);
  if (!last || source === "1d" || isOpen(hours, last.time)) return rows;
  return rows.with(-1, { ...last, candle: null });
}

/** A candle of which the feed may still lack parts has not closed. */
function inTimeframe(
  parts: Candle[],
  options: { source: Timeframe; timeframe: Timeframe; closedUntil: number; hours: TradingHours },
): Candle[] {
  const { source, timeframe, hours } = options;
  if (source === timeframe) return parts;
  const endsAt = (parts.at(-1)?.time ?? 0) + TIMEFRAME_MS[source];
  const closedUntil = isOpen(hours, endsAt)
    ? Math.min(options.closedUntil, endsAt)
    : options.closedUntil;
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

const column = z.array(z.unknown()).optional().catch(undefined);

const resultSchema = z.object({
  meta: z.object({ regularMarketTime: z.number().optional().catch(undefined) }).optional(),
  timestamp: z.array(z.unknown()).optional(),
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
  | { kind: "rows"; rows: CandleRow[]; quotedAt: number | undefined }
  | { kind: "error"; code: string };

/** Rows without trades are nulls. `quotedAt` is in Unix milliseconds. */
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

function rowsOf({ timestamp = [], indicators }: z.infer<typeof resultSchema>): CandleRow[] {
  const [quote] = indicators.quote;
  return timestamp.flatMap((seconds, index) =>
    toRow({
      time: Number(seconds ?? Number.NaN) * 1_000,
      open: shortest(quote?.open?.[index]),
      high: shortest(quote?.high?.[index]),
      low: shortest(quote?.low?.[index]),
      close: shortest(quote?.close?.[index]),
      volume: quote?.volume?.[index],
    }),
  );
}

/** Digits that distinguish any two single precision numbers. */
const SINGLE_DIGITS = { min: 6, max: 9 } as const;

/**
 * Prices are sent in single precision: 2034.2 arrives as 2034.199951171875. Returns the shortest number with the same
 * value.
 */
export function shortest(price: unknown): number | null {
  if (typeof price !== "number") return null;
  if (Math.fround(price) !== price) return price;
  for (let digits: number = SINGLE_DIGITS.min; digits < SINGLE_DIGITS.max; digits += 1) {
    const short = Number(price.toPrecision(digits));
    if (Math.fround(short) === price) return short;
  }
  return price;
}
