import { DAY_MS, MINUTE_MS } from "@shared/contract/constants.ts";
import { INSTRUMENTS, type TradingHours } from "@shared/contract/instruments.ts";
import { TIMEFRAME_MS, type Timeframe, timeframeSchema } from "@shared/contract/market-data.ts";
import { isOpen, lastClose } from "@shared/domain/trading-hours.ts";
import {
  banOf,
  type CandleApiRequest,
  type CandleResponse,
  type Distortion,
  distort,
  type FakeCandleApi,
  type ProviderOptions,
  providerOf,
  startFakeCandleApi,
  tradedSlots,
} from "./candle-service.ts";
import type { ServedCandle, WeatherRow } from "./weather.ts";

/** The intervals of the real endpoint that are a whole number of minutes, hours or days. */
const INTERVALS = new Set(["1m", "2m", "5m", "15m", "30m", "90m", "1h", "1d", "5d"]);
const HALF_HOUR_MS = TIMEFRAME_MS["30m"];
const HISTORY_DAYS: Partial<Record<Timeframe, number>> = {
  "1m": 8,
  "5m": 60,
  "15m": 60,
  "30m": 60,
  "1h": 730,
};
const RANGE_DAYS: Readonly<Record<string, number>> = { "1d": 1, "5d": 5, "1mo": 31, "3mo": 92 };
const PATH = "/v8/finance/chart/";

/** Delay of the quotes of futures. */
export const FAKE_YAHOO_DELAY_MS = 10 * MINUTE_MS;
/** One of so many rows has nulls, as if there had been no trade. */
const NULL_EVERY = 41;

interface Query {
  symbol: string;
  ticker: string;
  hours: TradingHours;
  timeframe: Timeframe;
  from: number;
  until: number;
}

/**
 * Starts a fake of Yahoo's chart endpoint: recorded candles shifted to now, without closed hours, in single precision,
 * with rows of nulls, the open candle, and the last quote as another row.
 * @param options.bare omits everything that a reader does not need
 */
export function startFakeYahoo(
  options: ProviderOptions & { bare?: boolean } = {},
): Promise<FakeCandleApi> {
  const { bare = false, ...rest } = options;
  const provider = providerOf(rest);
  return startFakeCandleApi(
    (request, distortion) => {
      if (!request.headers["user-agent"]?.startsWith("Mozilla/")) {
        return failure(429, "Too Many Requests");
      }
      const now = provider.now();
      const query = queryOf(request, now);
      if ("body" in query) return query;
      if (!provider.weather.isListed("yahoo", now)) return failure(404, "Not Found");
      const feedNow = now - (query.hours === "futures" ? FAKE_YAHOO_DELAY_MS : 0);
      return { body: bodyOf(query, { distortion, feedNow, bare, provider }) };
    },
    () => banOf("yahoo", provider),
  );
}

function queryOf({ url }: CandleApiRequest, now: number): Query | CandleResponse {
  const ticker = decodeURIComponent(url.pathname.slice(PATH.length));
  const instrument = INSTRUMENTS.find(({ yahoo }) => yahoo?.ticker === ticker);
  if (!url.pathname.startsWith(PATH) || !instrument?.yahoo) return failure(404, "Not Found");
  const interval = url.searchParams.get("interval") ?? "1d";
  const timeframe = timeframeSchema.safeParse(interval).data;
  if (!timeframe || !INTERVALS.has(interval)) return failure(422, "Unprocessable Entity");
  const rangeDays = RANGE_DAYS[url.searchParams.get("range") ?? "1d"] ?? 1;
  const seconds = (name: string) => Number(url.searchParams.get(name)) * 1_000;
  const from = seconds("period1") || now - rangeDays * DAY_MS;
  const until = Math.min(seconds("period2") || now, now);
  const oldest = now - (HISTORY_DAYS[timeframe] ?? 10_000) * DAY_MS;
  if (from < oldest) return failure(422, "Unprocessable Entity");
  const { symbol, yahoo } = instrument;
  return { symbol, ticker, hours: yahoo.hours, timeframe, from, until };
}

function failure(status: number, code: string): CandleResponse {
  const error = { code, description: code };
  return { status, body: { chart: { result: null, error } } };
}

/** Opening times of the rows. Those of hours are at half past if the market opens at half past. */
function rowTimes({ hours, timeframe, from }: Query, feedNow: number): number[] {
  const slots = { hours, from, until: feedNow };
  if (hours !== "us-stocks" || timeframe !== "1h") return tradedSlots({ ...slots, timeframe });
  const halves = tradedSlots({ ...slots, timeframe: "30m" });
  return halves.filter((time) => time % TIMEFRAME_MS["1h"] !== 0);
}

function candlesOf(query: Query, { feedNow, provider }: Feed): ServedCandle[] {
  const { symbol, timeframe } = query;
  const lengthMs = TIMEFRAME_MS[timeframe];
  return rowTimes(query, feedNow).flatMap((time) => {
    const slot = Math.floor(time / lengthMs) * lengthMs;
    const [candle] = provider.candles({ symbol, timeframe, from: slot, count: 1 });
    return candle ? [{ ...candle, time, isOpen: time + lengthMs > feedNow }] : [];
  });
}

interface Feed {
  distortion: Distortion;
  feedNow: number;
  bare: boolean;
  provider: Required<ProviderOptions>;
}

function bodyOf(query: Query, feed: Feed): unknown {
  const { feedNow, bare } = feed;
  const quotedAt = isOpen(query.hours, feedNow) ? feedNow : (lastClose(query.hours, feedNow) ?? 0);
  const all = rowsOf(query, feed, quotedAt);
  const column = (name: "open" | "high" | "low" | "close" | "volume") =>
    all.map((row) => (hasNulls(row, query.timeframe) ? null : single(row[name])));
  const quote = Object.fromEntries(
    (["open", "high", "low", "close", "volume"] as const).map((name) => [name, column(name)]),
  );
  const timestamp = all.map(({ time }) => Math.floor(dayStart(time, query) / 1_000));
  const result = bare
    ? { timestamp, indicators: { quote: [quote] } }
    : { meta: metaOf(query, quotedAt), timestamp, indicators: { quote: [quote] } };
  return { chart: { result: [result], error: null } };
}

/** The rows in this weather, and the last quote as one more. */
function rowsOf(query: Query, feed: Feed, quotedAt: number): WeatherRow[] {
  const { symbol, timeframe, until } = query;
  const candles = distort(candlesOf(query, feed), feed.distortion);
  const sent = candles.filter(({ time }) => time < until);
  const { weather, now } = feed.provider;
  const rows = weather.rows({ provider: "yahoo", symbol, timeframe, now: now() }, sent);
  const last = sent.at(-1);
  return last && !feed.bare ? [...rows, { ...flat(last), time: quotedAt }] : rows;
}

const single = (value: number | null): number | null =>
  value === null ? null : Math.fround(value);

const hasNulls = ({ time }: WeatherRow, timeframe: Timeframe) =>
  Math.floor(time / TIMEFRAME_MS[timeframe]) % NULL_EVERY === NULL_EVERY - 1;

const flat = (row: ServedCandle): ServedCandle => ({
  ...row,
  open: row.close,
  high: row.close,
  low: row.close,
  volume: 0,
});

/** The time of a day's row: midnight in London for currencies, in New York for futures, the opening for stocks. */
function dayStart(time: number, { hours, timeframe }: Query): number {
  if (timeframe !== "1d" || time % DAY_MS !== 0) return time;
  if (hours === "us-stocks") return time + 29 * HALF_HOUR_MS;
  return hours === "futures" ? time + 10 * HALF_HOUR_MS : time;
}

function metaOf({ ticker, timeframe }: Query, quotedAt: number): unknown {
  return {
    symbol: ticker,
    dataGranularity: timeframe,
    regularMarketTime: Math.floor(quotedAt / 1_000),
    exchangeTimezoneName: "America/New_York",
  };
}
