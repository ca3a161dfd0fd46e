import type { Candle, Timeframe } from "@shared/contract/candle.ts";
import type { Analysis } from "@shared/contract/signal.ts";
import type { TradingCosts } from "@shared/contract/trading-costs.ts";
import { untilAborted } from "../providers/abortable.ts";
import type { CandleSeries, MarketData } from "../providers/market-data.ts";
import { ProviderError } from "../providers/provider-error.ts";
import type { Analyst, CallUsage } from "./analyst.ts";
import type { AcceptedAdvice } from "./check-advice.ts";
import { chartWarnings } from "./check-chart.ts";
import { composeAnalysis, refusedAdvice } from "./compose-analysis.ts";
import { consultAnalyst, type Exchange } from "./consult-analyst.ts";
import { costFigures, costWarnings } from "./cost-limit.ts";
import { groundingWarnings } from "./grounding/check-grounding.ts";
import { buildMarketBrief, type MarketBrief } from "./market-brief.ts";
import { findPause, pausedAnalysis } from "./market-state.ts";
import type { SignalReceipt } from "./receipt.ts";
import { signalWarnings } from "./signal-warnings.ts";
import { type PositionSize, type Stake, sizePosition } from "./size-position.ts";
import { createStageTimer, type Stage, type StageTimer } from "./stage-timer.ts";
import { symbolCurrencies, usdPerQuote } from "./symbol-currencies.ts";
import { fetchUsdRate } from "./usd-rate.ts";
import { writePausedReceipt, writeReceipt } from "./write-receipt.ts";

/**
 * Closed candles fetched even if the trader asked for fewer: EMA(200) needs 200, and 100 more until the first close
 * weighs below 6% in it; and they make 37 to 75 candles of the higher timeframe, whose trend needs 23.
 */
const FETCHED_CANDLES = 300;

/** Fewer candles than this say nothing: ATR(14) alone needs 14, and as many again to settle. */
const FEWEST_CANDLES = 30;

/** What a signal is asked for; `limit` is how many candles the analyst sees. */
export interface SignalOrder extends Stake {
  symbol: string;
  timeframe: Timeframe;
  limit: number;
}

export interface SignalOptions {
  request: SignalOrder;
  /** The trader's chart picture as a data URL. */
  chartImage?: string | undefined;
  marketData: MarketData;
  analyst: Analyst;
  /** What trading the market of the request costs. */
  costs: TradingCosts;
  /** Unix milliseconds. */
  now: () => number;
  /** Ends all waiting at once. */
  abort: AbortSignal;
  /** Hears of every stage as it begins. */
  onStage?: ((stage: Stage) => void) | undefined;
  /** Hears of the analyst's tokens, also of those that a failed signal cost. */
  onUsage?: ((usage: CallUsage) => void) | undefined;
}

/** The signal, the candles that it was made from (oldest first), and how it came about. */
export interface GeneratedSignal {
  analysis: Analysis;
  candles: Candle[];
  receipt: SignalReceipt;
}

/**
 * Makes one signal: fetches closed candles, has them judged, holds the advice to the bounds of a trade and sizes it.
 * Advice out of bounds is asked for once more, and then becomes a WAIT with a warning; so does, at once, a trade whose
 * costs take too much of its risk. While the market is closed, or its data too old, it is a WAIT that nobody was asked for.
 * @throws ProviderError when the candles or the advice cannot be had; the reason of `abort` once that fires
 */
export async function generateSignal(options: SignalOptions): Promise<GeneratedSignal> {
  const { request, chartImage, analyst, costs, now, abort, onStage, onUsage } = options;
  const timer = createStageTimer({ now, onStage });
  const series = await timer.run("fetching", () => fetchSeries(options));
  const paused = pausedSignal(options, series, timer);
  if (paused) return paused;
  const brief = buildMarketBrief({ ...request, candles: series.candles });
  const { atr14: atr } = brief.indicators;
  if (atr === null || series.candles.length < FEWEST_CANDLES) throw tooFewCandles(series);
  const asked = { analyst, brief, costs, atr, chartImage, timer, onUsage, abort };
  const consultation = await consultAnalyst(asked);
  const { last: exchange } = consultation;
  const { decision, tooCostly } = decide(exchange, costs);
  const { size, quoteToUsd } = await timer.run("sizing", () => sizeFor(options, series, decision));
  const judged = { brief, series, analyst, exchange, decision, size };
  const hasChartImage = chartImage !== undefined;
  const madeAt = now();
  const warnings = [
    ...signalWarnings({ ...judged, tooCostly, hasChartImage, now: madeAt }),
    ...contradictions({ brief, exchange, costs }),
  ];
  const made = { madeAt, quoteToUsd, durationsMs: timer.durationsMs() };
  return {
    analysis: composeAnalysis({ ...judged, warnings, now: madeAt }),
    candles: series.candles,
    receipt: writeReceipt({ series, analyst, costs, chartImage, consultation, ...made }),
  };
}

/** The analyst's advice, or a WAIT where it was not accepted or costs too much; `tooCostly` says the latter. */
function decide(
  exchange: Exchange,
  costs: TradingCosts,
): { decision: AcceptedAdvice; tooCostly: string[] } {
  const { checked } = exchange;
  if (!checked.accepted) return { decision: refusedAdvice(exchange), tooCostly: [] };
  const tooCostly = costWarnings(checked.advice, costs);
  const decision = tooCostly.length === 0 ? checked.advice : refusedAdvice(exchange);
  return { decision, tooCostly };
}

/** The WAIT of a market that is closed or whose data is too old; null where a signal can be made. */
function pausedSignal(
  { request, costs, chartImage, now }: SignalOptions,
  series: CandleSeries,
  timer: StageTimer,
): GeneratedSignal | null {
  const { symbol, timeframe } = request;
  const madeAt = now();
  const pause = findPause({ symbol, timeframe, series, now: madeAt });
  if (!pause) return null;
  const durationsMs = timer.durationsMs();
  return {
    analysis: pausedAnalysis({ pause, timeframe, series }),
    candles: series.candles,
    receipt: writePausedReceipt({ series, costs, chartImage, madeAt, durationsMs }),
  };
}

/** Where the chart picture or the analyst's own words do not agree with the market data. */
function contradictions(of: {
  brief: MarketBrief;
  exchange: Exchange;
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

async function fetchSeries({ request, marketData, abort }: SignalOptions): Promise<CandleSeries> {
  abort.throwIfAborted();
  const { symbol, timeframe } = request;
  const limit = Math.max(request.limit, FETCHED_CANDLES);
  const series = await untilAborted(marketData.candles({ symbol, timeframe, limit, abort }), abort);
  if (series.candles.length === 0) throw tooFewCandles(series);
  return series;
}

function tooFewCandles({ provider, candles }: CandleSeries): ProviderError {
  return new ProviderError({
    provider,
    failure: "nonsense",
    message: `${candles.length} closed candles came, ${FEWEST_CANDLES} are needed for a signal`,
  });
}

async function sizeFor(
  { request, marketData, abort }: SignalOptions,
  { data }: CandleSeries,
  decision: AcceptedAdvice,
): Promise<{ size: PositionSize; quoteToUsd?: number | undefined }> {
  const { symbol, timeframe } = request;
  const position = { advice: decision, symbol, stake: request };
  if (decision.entry === null || usdPerQuote({ symbol, entry: decision.entry }) !== null) {
    return { size: sizePosition(position) };
  }
  const currency = symbolCurrencies(symbol).quote;
  const quoteToUsd = await fetchUsdRate({ currency, timeframe, data, marketData, abort });
  return { size: sizePosition({ ...position, quoteToUsd }), quoteToUsd };
}
