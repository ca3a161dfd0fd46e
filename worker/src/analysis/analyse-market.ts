import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import type { Analysis, UnsizedAnalysis } from "@shared/contract/signal.ts";
import type { TradingCosts } from "@shared/contract/trading-costs.ts";
import {
  type SizingInput,
  sizeForStake,
  symbolCurrencies,
  usdPerQuote,
} from "@shared/domain/sizing.ts";
import { raceAbort } from "../market-data/deadline.ts";
import type { CandleSeries, MarketData } from "../market-data/market-data.ts";
import { ProviderError } from "../market-data/provider-error.ts";
import type { Analyst, CallUsage } from "./analyst.ts";
import { chartWarnings } from "./check-chart.ts";
import { composeAnalysis, rejectedAdvice, signalWarnings } from "./compose-analysis.ts";
import { costFigures, costWarnings } from "./cost-limit.ts";
import { groundingWarnings } from "./grounding.ts";
import { buildMarketBrief, type MarketBrief } from "./market-brief.ts";
import { closedMarketAnalysis, findMarketClosure } from "./market-hours-check.ts";
import {
  type SignalProvenance,
  writeClosedMarketProvenance,
  writeProvenance,
} from "./provenance.ts";
import { type AnalystCall, requestAdvice } from "./request-advice.ts";
import { createStageTimer, type Stage, type StageTimer } from "./stage-timer.ts";
import type { AcceptedAdvice } from "./validate-advice.ts";

export interface SignalOptions extends AnalysisOptions {
  request: AnalysisOptions["request"] & SizingInput;
}

/** Makes one sized signal without queue and database, for backtests and reproductions. See `analyseMarket`. */
export async function generateSignal(
  options: SignalOptions,
): Promise<Omit<MadeAnalysis, "analysis"> & { analysis: Analysis }> {
  const made = await analyseMarket(options);
  const { request } = options;
  return { ...made, analysis: sizeForStake({ ...made, symbol: request.symbol }, request) };
}

/** EMA(200) needs 200 candles, and 100 more until the first close weighs below 6% in it. */
const FETCHED_CANDLES = 300;

/** ATR(14) needs 14 candles, and as many again to settle. */
const FEWEST_CANDLES = 30;

interface MarketRequest {
  symbol: string;
  timeframe: Timeframe;
  limit: number;
  /** Close of the last candle to analyse; the newest one unless given. */
  candleClosedAt?: Date;
}

interface AnalysisOptions {
  request: MarketRequest;
  /** Data URL. */
  chartImage?: string | undefined;
  marketData: MarketData;
  analyst: Analyst;
  costs: TradingCosts;
  now: () => number;
  abort: AbortSignal;
  onStage?: ((stage: Stage) => void) | undefined;
  beforeAnalyst?: (() => Promise<void>) | undefined;
  onUsage?: ((usage: CallUsage) => void) | undefined;
}

interface MadeAnalysis {
  analysis: UnsizedAnalysis;
  /** USD per unit of the quote currency, where sizing needs the rate of another market. */
  quoteToUsd: number | null;
  candles: Candle[];
  receipt: SignalProvenance;
}

/**
 * Analyses one market. Advice out of bounds is requested once more and then becomes a WAIT; so does a trade that costs
 * too much.
 * @throws ProviderError without candles or advice; the reason of `abort` once that fires
 */
export async function analyseMarket(options: AnalysisOptions): Promise<MadeAnalysis> {
  const { request, chartImage, analyst, costs, now, abort, onStage } = options;
  const { beforeAnalyst, onUsage } = options;
  const timer = createStageTimer({ now, onStage });
  const newest = await timer.run("fetching", () => fetchSeries(options));
  const paused = closedMarketSignal(options, newest, timer);
  if (paused) return paused;
  const series = upTo(newest, request);
  const brief = buildMarketBrief({ ...request, candles: series.candles });
  const { atr14: atr } = brief.indicators;
  if (atr === null || series.candles.length < FEWEST_CANDLES) throw tooFewCandles(series);
  await beforeAnalyst?.();
  const asked = { analyst, brief, costs, atr, chartImage, timer, onUsage, abort };
  const consultation = await requestAdvice(asked);
  const { last: exchange } = consultation;
  const { decision, tooCostly } = decide(exchange, costs);
  const quoteToUsd = await timer.run("sizing", () => findUsdRate(options, series, decision));
  const judged = { brief, series, analyst, exchange, decision };
  const hasChartImage = chartImage !== undefined;
  const madeAt = now();
  const warnings = [
    ...signalWarnings({ ...judged, tooCostly, hasChartImage, now: madeAt }),
    ...contradictions({ brief, exchange, costs }),
  ];
  const made = { madeAt, quoteToUsd, durationsMs: timer.durationsMs() };
  return {
    analysis: composeAnalysis({ ...judged, warnings, now: madeAt }),
    quoteToUsd: quoteToUsd ?? null,
    candles: series.candles,
    receipt: writeProvenance({ series, analyst, costs, chartImage, consultation, ...made }),
  };
}

function decide(
  exchange: AnalystCall,
  costs: TradingCosts,
): { decision: AcceptedAdvice; tooCostly: string[] } {
  const { checked } = exchange;
  if (!checked.accepted) return { decision: rejectedAdvice(exchange), tooCostly: [] };
  const tooCostly = costWarnings(checked.advice, costs);
  const decision = tooCostly.length === 0 ? checked.advice : rejectedAdvice(exchange);
  return { decision, tooCostly };
}

function closedMarketSignal(
  { request, costs, chartImage, now }: AnalysisOptions,
  series: CandleSeries,
  timer: StageTimer,
): MadeAnalysis | null {
  const { symbol, timeframe } = request;
  const madeAt = now();
  const pause = findMarketClosure({ symbol, timeframe, series, now: madeAt });
  if (!pause) return null;
  const durationsMs = timer.durationsMs();
  return {
    analysis: closedMarketAnalysis({ pause, timeframe, series }),
    quoteToUsd: null,
    candles: series.candles,
    receipt: writeClosedMarketProvenance({ series, costs, chartImage, madeAt, durationsMs }),
  };
}

function contradictions(of: {
  brief: MarketBrief;
  exchange: AnalystCall;
  costs: TradingCosts;
}): string[] {
  const { brief, exchange, costs } = of;
  const { advice, chart, ownFigures = [] } = exchange.reply;
  const figures = [...ownFigures, ...costFigures(brief.price, costs)];
  return [
    ...chartWarnings(brief, chart),
    ...groundingWarnings({ brief, advice, ownFigures: figures }),
  ];
}

async function fetchSeries({ request, marketData, abort }: AnalysisOptions): Promise<CandleSeries> {
  abort.throwIfAborted();
  const { symbol, timeframe } = request;
  const limit = Math.max(request.limit, FETCHED_CANDLES);
  const series = await raceAbort(marketData.candles({ symbol, timeframe, limit, abort }), abort);
  if (series.candles.length === 0) throw tooFewCandles(series);
  return series;
}

/** Drops later candles, so that all requests for the same candle get the same analysis. */
function upTo(series: CandleSeries, { timeframe, candleClosedAt }: MarketRequest): CandleSeries {
  if (!candleClosedAt) return series;
  const latest = candleClosedAt.getTime() - TIMEFRAME_MS[timeframe];
  return { ...series, candles: series.candles.filter(({ time }) => time <= latest) };
}

function tooFewCandles({ provider, candles }: CandleSeries): ProviderError {
  return new ProviderError({
    provider,
    failure: "nonsense",
    message: `${candles.length} closed candles came, ${FEWEST_CANDLES} are needed for a signal`,
  });
}

function findUsdRate(
  { request, marketData, abort }: AnalysisOptions,
  { data }: CandleSeries,
  { entry }: AcceptedAdvice,
): Promise<number | undefined> | undefined {
  const { symbol, timeframe } = request;
  if (entry === null || usdPerQuote({ symbol, entry }) !== null) return undefined;
  const currency = symbolCurrencies(symbol).quote;
  return fetchUsdRate({ currency, timeframe, data, marketData, abort });
}

/**
 * Returns USD per unit of `currency` from a market with the same kind of data: a live trade is not sized by a replayed
 * rate.
 */
export async function fetchUsdRate(options: {
  currency: string;
  timeframe: Timeframe;
  data: CandleSeries["data"];
  marketData: MarketData;
  abort: AbortSignal;
}): Promise<number | undefined> {
  const { currency, data } = options;
  const markets = [
    { symbol: `${currency}/USD`, toRate: (close: number) => close },
    { symbol: `USD/${currency}`, toRate: (close: number) => 1 / close },
    { symbol: `${currency}/USDT`, toRate: (close: number) => close },
  ];
  for (const { symbol, toRate } of markets) {
    const series = await fetchLast({ ...options, symbol });
    const close = series?.data === data ? series.candles.at(-1)?.close : undefined;
    if (close !== undefined) return toRate(close);
  }
  return undefined;
}

async function fetchLast(options: {
  symbol: string;
  timeframe: Timeframe;
  marketData: MarketData;
  abort: AbortSignal;
}): Promise<CandleSeries | null> {
  const { symbol, timeframe, marketData, abort } = options;
  try {
    return await raceAbort(marketData.candles({ symbol, timeframe, limit: 1, abort }), abort);
  } catch (error) {
    abort.throwIfAborted();
    // A market that does not exist or does not answer is no reason to give up the signal: the next one may do.
    if (error instanceof ProviderError) return null;
    throw error;
  }
}
