import type { Candle, Timeframe } from "@shared/contract/candle.ts";
import type { Instrument, TradingHours } from "@shared/contract/instruments.ts";
import { isOpen } from "@shared/node/trading-hours.ts";
import { openingTime } from "../candles/candle-grid.ts";
import { resampleTraded, tradedCandles } from "../candles/traded-candles.ts";
import type { RequestLimits } from "../http/fetch-whole.ts";
import { type RestCall, type RestDialect, RestMarketData } from "../rest-market-data.ts";
import { readChart } from "./chart-answer.ts";
import { type ChartQuery, planChart } from "./chart-query.ts";

/** Quotes of futures come up to this much late. */
const DELAY_MS = 20 * 60_000;

/** A day's row begins at midnight of its exchange: in London, in summer, an hour before midnight UTC. */
const DAY_BEGINS_EARLY_MS = 2 * 3_600_000;

/** Programs without a name are turned away. */
const USER_AGENT = "Mozilla/5.0 (compatible; ai-trading-signals)";

/** Candles of forex, metals, indices and oil from Yahoo's keyless chart endpoint. */
export function createYahooMarketData(options: {
  baseUrl: string;
  now: () => number;
  limits?: RequestLimits | undefined;
}): RestMarketData {
  const { baseUrl, ...rest } = options;
  const dialect: RestDialect = {
    name: "yahoo",
    baseUrl,
    headers: { "user-agent": USER_AGENT },
    nameOf: ({ yahoo }) => yahoo?.ticker,
    pingPath: `${pathOf("EURUSD=X")}?interval=1d&range=5d`,
    fetchSeries,
  };
  return new RestMarketData({ dialect, ...rest });
}

async function fetchSeries({ instrument, request, now, get, fail }: RestCall) {
  const { timeframe, limit } = request;
  const { ticker, hours } = marketOf(instrument);
  // One more than asked for, as the oldest may be cut off where longer candles are built.
  const query = planChart({ timeframe, hours, count: limit + 1, now });
  const { status, body } = await get(`${pathOf(ticker)}?${searchOf(query)}`);
  const chart = readChart(body);
  if (chart?.kind === "error" && isUnknown(chart.code, status)) {
    throw fail("unknown-symbol", "the ticker is not listed");
  }
  if (status >= 400) throw fail("refused", `answered with status ${status}`);
  if (chart?.kind !== "rows") throw fail("nonsense", "the answer holds no chart");
  const closedUntil = closedUntilOf({ quotedAt: chart.quotedAt, now });
  const rows = withoutLastQuote(onGrid(chart.rows, query.source), { hours, source: query.source });
  const counted = { timeframe, count: limit, closedUntil };
  return {
    candles: tradedCandles(joined(rows, { source: query.source, timeframe, closedUntil }), counted),
    market: { hours, delayMs: DELAY_MS },
  };
}

function marketOf({ symbol, hours, yahoo }: Instrument): { ticker: string; hours: TradingHours } {
  return yahoo ?? { ticker: symbol, hours };
}

const pathOf = (ticker: string) => `/v8/finance/chart/${encodeURI(ticker)}`;

function searchOf({ source, from, until }: ChartQuery): URLSearchParams {
  const seconds = (time: number) => String(Math.ceil(time / 1_000));
  return new URLSearchParams({
    interval: source,
    period1: seconds(from),
    period2: seconds(until),
  });
}

const isUnknown = (code: string, status: number) => status === 404 || /not found/i.test(code);

/**
 * Until when the rows tell all that was traded. Where the last quote is older than the clock, the feed runs late, and
 * a candle that is over by the clock may still change.
 */
function closedUntilOf({ quotedAt, now }: { quotedAt: number | undefined; now: number }): number {
  return quotedAt === undefined ? now : Math.min(now, Math.max(quotedAt, now - DELAY_MS));
}

/** Days by their date; of two rows of one day, as come while it lasts, `tradedCandles` takes the later one. */
function onGrid(rows: Candle[], source: Timeframe): Candle[] {
  if (source !== "1d") return rows;
  return rows.map((row) => ({ ...row, time: openingTime(row.time + DAY_BEGINS_EARLY_MS, "1d") }));
}

/** The last quote comes as a row of its own, at the time of that quote, or of the close after which there is none. */
function withoutLastQuote(
  rows: Candle[],
  { hours, source }: { hours: TradingHours; source: Timeframe },
): Candle[] {
  const last = rows.at(-1);
  if (!last || source === "1d") return rows;
  const isStray = openingTime(last.time, source) !== last.time;
  return isStray || !isOpen(hours, last.time) ? rows.slice(0, -1) : rows;
}

function joined(
  rows: Candle[],
  options: { source: Timeframe; timeframe: Timeframe; closedUntil: number },
): Candle[] {
  const { source, timeframe, closedUntil } = options;
  if (source === timeframe) return rows;
  const parts = tradedCandles(rows, { timeframe: source, count: rows.length, closedUntil });
  return resampleTraded(parts, { to: timeframe, closedUntil });
}
