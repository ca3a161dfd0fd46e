import { DAY_MS } from "@shared/contract/constants.ts";
import { INSTRUMENTS } from "@shared/contract/instruments.ts";
import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import {
  banOf,
  type CandleApiRequest,
  type CandleResponse,
  distort,
  type FakeCandleApi,
  type ProviderOptions,
  providerOf,
  startFakeCandleApi,
  timeframeNamed,
  tradedSlots,
} from "./candle-service.ts";
import type { ServedCandle, WeatherRow } from "./weather.ts";

export const FAKE_OANDA_TOKEN = "fake-token";

/** `M15`, `H4`, `D`. */
const granularityOf = (timeframe: Timeframe): string =>
  timeframe === "1d" ? "D" : timeframe.replace(/(\d+)(\w)/, "$2$1").toUpperCase();

const PATH = /^\/v3\/instruments\/([^/]+)\/candles$/;
const MAX_COUNT = 5_000;
/** Every market trades for more than this share of the time. */
const OPEN_SHARE = 0.6;
const WEEKEND_MS = 3 * DAY_MS;

/**
 * Starts a fake of the candles of OANDA's v20 API: recorded ones shifted to now, without closed hours. Requests have to
 * ask for alignment to UTC.
 */
export function startFakeOanda(options: ProviderOptions = {}): Promise<FakeCandleApi> {
  const provider = providerOf(options);
  return startFakeCandleApi(
    (request, distortion) => {
      if (request.headers.authorization !== `Bearer ${FAKE_OANDA_TOKEN}`) {
        return refusal(401, "Insufficient authorization to perform request.");
      }
      const now = provider.now();
      const query = queryOf(request, now);
      if ("body" in query) return query;
      if (!provider.weather.isListed("oanda", now)) return unknownInstrument();
      const candles = distort(candlesOf(query, provider), distortion);
      const rows = provider.weather.rows({ ...query, provider: "oanda", now }, candles);
      return { body: bodyOf(query, rows) };
    },
    () => banOf("oanda", provider),
  );
}

interface Query {
  name: string;
  symbol: string;
  granularity: string;
  timeframe: Timeframe;
  count: number;
  until: number;
}

function queryOf({ url }: CandleApiRequest, now: number): Query | CandleResponse {
  const [, name = ""] = PATH.exec(url.pathname) ?? [];
  const { searchParams } = url;
  const instrument = INSTRUMENTS.find(({ oanda }) => oanda === name);
  if (!instrument) return unknownInstrument();
  const granularity = searchParams.get("granularity") ?? "S5";
  const timeframe = timeframeNamed(granularityOf, granularity);
  if (!timeframe) return refusal(400, "Invalid value specified for 'granularity'");
  const inUtc =
    searchParams.get("dailyAlignment") === "0" && searchParams.get("alignmentTimezone") === "UTC";
  if (!inUtc || searchParams.get("price") !== "M") return refusal(400, "Not supported by the fake");
  const count = Number(searchParams.get("count") ?? 500);
  if (count > MAX_COUNT) return refusal(400, "Maximum value for 'count' exceeded");
  const to = searchParams.get("to");
  const until = to === null ? now : Date.parse(to);
  return { name, symbol: instrument.symbol, granularity, timeframe, count, until };
}

const unknownInstrument = () => refusal(400, "Invalid value specified for 'instrument'");

function refusal(status: number, errorMessage: string): CandleResponse {
  return { status, body: { errorMessage } };
}

function candlesOf(
  { symbol, timeframe, count, until }: Query,
  { now, candles }: Required<ProviderOptions>,
): ServedCandle[] {
  const hours = INSTRUMENTS.find((instrument) => instrument.symbol === symbol)?.hours ?? "always";
  const lengthMs = TIMEFRAME_MS[timeframe];
  const from = until - (count * lengthMs) / OPEN_SHARE - WEEKEND_MS;
  const slots = tradedSlots({ hours, timeframe, from, until });
  return slots
    .slice(-count)
    .flatMap((slot) => candles({ symbol, timeframe, from: slot, count: 1 }))
    .map((candle) => ({ ...candle, isOpen: candle.time + lengthMs > now() }));
}

function bodyOf({ name, granularity }: Query, rows: readonly WeatherRow[]): unknown {
  return {
    instrument: name,
    granularity,
    candles: rows.map(({ time, open, high, low, close, volume, isOpen }) => ({
      complete: !isOpen,
      volume: Math.round(volume ?? 0),
      time: new Date(time).toISOString().replace("Z", "000000Z"),
      mid: { o: text(open), h: text(high), l: text(low), c: text(close) },
    })),
  };
}

const text = (price: number | null): string | null => (price === null ? null : String(price));
