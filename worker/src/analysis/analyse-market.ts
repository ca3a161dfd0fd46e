import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import type { SizingInput } from "@shared/contract/position-size.ts";
import type { TradingCosts } from "@shared/contract/resolution.ts";
import type { Analysis, UnsizedAnalysis } from "@shared/contract/signal.ts";
import type { RejectedTrade } from "@shared/database/models/market-analysis.ts";
import { eventWarnings } from "@shared/domain/economic-events.ts";
import { addSizing, symbolCurrencies, usdPerQuote } from "@shared/domain/sizing.ts";
import { isOpen, lastClose, nextOpen } from "@shared/domain/trading-hours.ts";
import type { Funding } from "@shared/outcomes/funding.ts";
import { raceAbort } from "../deadline.ts";
import type { CandleSeries } from "../market-data/market-data.ts";
import { isStale, isThrough, ProviderError } from "../market-data/market-data.ts";
import type { Advice, Analyst, CallUsage } from "./analyst.ts";
import type { AnalystCall, ChartAnswer } from "./analyst-call.ts";
import {
  type ChartReading,
  chartText,
  chartWarnings,
  otherMarketReason,
  withNearLines,
} from "./check-chart.ts";
import {
  composeAnalysis,
  otherMarketWait,
  rejectedAdvice,
  signalWarnings,
  unaskedWait,
} from "./compose-analysis.ts";
import { baseEvidence } from "./evidence/base-evidence.ts";
import type { EvidencePack, EvidenceProvider } from "./evidence/evidence-pack.ts";
import {
  type FetchOptions,
  fetchAnalysed,
  fetchNewest,
  formatUtc,
  type MarketRequest,
} from "./fetch-candles.ts";
import { groundingWarnings } from "./grounding.ts";
import { buildMarketBrief, type MarketBrief } from "./market-brief.ts";
import { type SignalProvenance, writeProvenance } from "./provenance.ts";
import { rejectedTrade } from "./rejected-trade.ts";
import { readChart, requestAdvice, StageTimer } from "./request-advice.ts";
import { analyseUntradableMarket } from "./tradable-market.ts";
import { costNumbers, costWarnings } from "./validate-advice.ts";

interface MarketClosure {
  condition: "Closed" | "No current data";
  reason: string;
}

/** Returns why the market is closed or its data too old, null otherwise. Replayed markets never close. */
function findMarketClosure(
  { symbol, timeframe, candleClosedAt }: MarketRequest,
  series: CandleSeries,
  now: number,
): MarketClosure | null {
  if (series.data === "replay") return null;
  const hours = series.market?.hours ?? "always";
  if (!isOpen(hours, now)) {
    const closedAt = formatUtc(lastClose(hours, now) ?? now);
    const opensAt = formatUtc(nextOpen(hours, now));
    const reason = `The ${symbol} market closed at ${closedAt} and opens at ${opensAt}.`;
    return { condition: "Closed", reason };
  }
  const through = candleClosedAt?.getTime() ?? Number.POSITIVE_INFINITY;
  if (isThrough(series, { timeframe, through })) return null;
  if (!isStale(series, { timeframe, now })) return null;
  const endedAt = lastCandleAt(series, timeframe);
  const reason =
    `The latest ${symbol} data is ${formatAge(now - endedAt)} old: the last candle closed at ` +
    `${formatUtc(endedAt)}. The market may be closed for a holiday.`;
  return { condition: "No current data", reason };
}

function closedMarketAnalysis(
  { condition, reason }: MarketClosure,
  series: CandleSeries,
  timeframe: Timeframe,
): UnsizedAnalysis {
  const warnings = [...series.notes, `${reason} No analysis was made, and you were not charged.`];
  const lastAt = lastCandleAt(series, timeframe);
  return unaskedWait({ reason, condition, warnings, series, lastCandleAt: lastAt });
}

function lastCandleAt({ candles }: CandleSeries, timeframe: Timeframe): number {
  return (candles.at(-1)?.time ?? Number.NaN) + TIMEFRAME_MS[timeframe];
}

const MINUTES_PER_HOUR = 60;
const MINUTES_PER_DAY = 1_440;

/** The two largest units, such as `2 days 3 hours`. */
function formatAge(ageMs: number): string {
  const minutes = Math.floor(ageMs / TIMEFRAME_MS["1m"]);
  const parts = [
    inUnit(Math.floor(minutes / MINUTES_PER_DAY), "day"),
    inUnit(Math.floor((minutes % MINUTES_PER_DAY) / MINUTES_PER_HOUR), "hour"),
    inUnit(minutes % MINUTES_PER_HOUR, "minute"),
  ];
  return parts.flat().slice(0, 2).join(" ");
}

function inUnit(value: number, unit: "day" | "hour" | "minute"): string[] {
  if (value === 0) return [];
  return [new Intl.NumberFormat("en", { style: "unit", unit, unitDisplay: "long" }).format(value)];
}

export interface SignalOptions extends AnalysisOptions {
  request: AnalysisOptions["request"] & SizingInput;
}

/** Makes one sized signal without queue and database, for backtests and reproductions. See `analyseMarket`. */
export async function generateSignal(
  options: SignalOptions,
): Promise<Omit<MadeAnalysis, "analysis"> & { analysis: Analysis }> {
  const analysed = await analyseMarket(options);
  const { request } = options;
  return { ...analysed, analysis: addSizing({ ...analysed, symbol: request.symbol }, request) };
}

interface AnalysisOptions extends FetchOptions {
  /** Data URL. */
  chartImage?: string | undefined;
  analyst: Analyst;
  costs: TradingCosts;
  /** Beside the candles; none unless given. */
  evidence?: EvidenceProvider;
  /** Also where no trade can pass the checks, as earlier versions did. */
  asksAlways?: boolean;
  beforeAnalyst?: (() => Promise<void>) | undefined;
  onUsage?: ((usage: CallUsage) => void) | undefined;
}

interface MadeAnalysis {
  analysis: UnsizedAnalysis;
  /** USD per unit of the quote currency, where sizing needs the rate of another market. */
  quoteToUsd: number | null;
  candles: Candle[];
  provenance: SignalProvenance;
  /** What the WAIT of an analyst did not take; null if it is none, or there was nothing to take. */
  rejectedTrade: RejectedTrade | null;
  /** Of the perpetual future of a coin, if it is known. */
  funding?: Funding | undefined;
  /** There is a chart image, and the analysis does not use it. */
  isImageUnused: boolean;
}

/**
 * Analyses one market. Advice out of bounds is requested once more and then becomes a WAIT; so does a trade that costs
 * too much. The analyst is not asked where no trade could pass these checks.
 * @throws ProviderError without candles or advice; the reason of `abort` once that fires
 */
export async function analyseMarket(options: AnalysisOptions): Promise<MadeAnalysis> {
  const { request, costs, now } = options;
  const timer = new StageTimer(now);
  const newest = await timer.run("fetching", () => fetchNewest(options));
  const closed = analyseClosedMarket(options, newest, timer);
  if (closed) return closed;
  const series = await timer.run("fetching", () => fetchAnalysed(options, newest));
  const brief = buildMarketBrief({ ...request, candles: series.candles });
  const { atr14: atr } = brief.indicators;
  if (atr === null) throw new RangeError("too few candles for an ATR");
  const untradable = options.asksAlways ? null : analyseUntradableMarket({ brief, costs }, series);
  if (untradable) return unaskedAnalysis(options, untradable, { series, timer });
  const pack = await gatherEvidence(options, brief, series, timer);
  const awaited = options.evidence?.guard === "wait" ? eventWarnings(pack.events, now()) : [];
  if (awaited.length > 0) {
    const wait = eventAnalysis(awaited, series, brief);
    return unaskedAnalysis(options, wait, { series, timer, pack });
  }
  await options.beforeAnalyst?.();
  const chartAnswer = await readImage(options, timer);
  const chart = chartAnswer?.reply.reading ?? null;
  const otherMarket = chart && otherMarketReason(brief, chart);
  if (chart && otherMarket !== null) {
    const wait = otherMarketWait(otherMarket, { brief, series, chart });
    return unaskedAnalysis(options, wait, { series, timer, pack, chartAnswer });
  }
  const found = { brief, atr, series, pack, chartAnswer };
  return askForAnalysis(options, { ...found, chart: chart && withNearLines(brief, chart) }, timer);
}

interface OpenMarket {
  brief: MarketBrief;
  atr: number;
  series: CandleSeries;
  pack: EvidencePack;
  chartAnswer: ChartAnswer | null;
  chart: ChartReading | null;
}

async function askForAnalysis(
  options: AnalysisOptions,
  { brief, atr, series, pack, chartAnswer, chart }: OpenMarket,
  timer: StageTimer,
): Promise<MadeAnalysis> {
  const { chartImage, analyst, costs, now, abort, onUsage } = options;
  const { items: evidence, events, funding } = pack;
  const question = { brief, costs, evidence, abort, chart: chart ?? undefined, onUsage };
  const answers = await requestAdvice(analyst, question, atr, timer);
  const { last: call } = answers;
  const { decision, tooCostly } = decide(call, costs);
  const quoteToUsd = await timer.run("sizing", () => findUsdRate(options, series, decision));
  const madeAt = now();
  const judgement = { brief, series, analyst, call, decision, chart, madeAt, events };
  const isImageUnread = chartImage !== undefined && chart === null;
  const warnings = [
    ...signalWarnings(judgement, { tooCostly, isImageUnread }),
    ...chartWarnings(brief, chart),
    ...groundingWarnings(brief, call.reply, {
      costs: costNumbers(brief.price, costs),
      evidence,
      hasChart: chart !== null,
    }),
  ];
  const known = [...baseEvidence({ brief, series, costs }), ...evidence];
  const found = { evidence: known, events };
  const { durationsMs } = timer;
  const image = {
    ...{ chartImage, chartAnswer },
    chartText: chart ? chartText(brief, chart) : undefined,
  };
  const inputs = { series, costs, ...image, madeAt, durationsMs, ...found };
  return {
    analysis: composeAnalysis(judgement, warnings),
    quoteToUsd,
    candles: series.candles,
    provenance: writeProvenance(inputs, { analyst, answers, quoteToUsd }),
    rejectedTrade: rejectedTrade(brief, call, decision),
    funding,
    isImageUnused: isImageUnread || (chart !== null && call.reply.cutOff !== undefined),
  };
}

/** Null without a chart image, and of an analyst that reads none. */
async function readImage(
  { chartImage, analyst, abort, onUsage }: AnalysisOptions,
  timer: StageTimer,
): Promise<ChartAnswer | null> {
  if (chartImage === undefined) return null;
  return timer.run("analysing", () => readChart(analyst, { chartImage, abort, onUsage }));
}

/** The analyst's advice, or a WAIT where it was rejected or, as `tooCostly` says, costs too much. */
function decide(call: AnalystCall, costs: TradingCosts): { decision: Advice; tooCostly: string[] } {
  const { checked } = call;
  if (!checked.accepted) return { decision: rejectedAdvice(call), tooCostly: [] };
  const tooCostly = costWarnings(checked.advice, costs);
  return { decision: tooCostly.length > 0 ? rejectedAdvice(call) : checked.advice, tooCostly };
}

/** The WAIT of a market that is closed or whose data is too old; null otherwise. */
function analyseClosedMarket(
  options: AnalysisOptions,
  series: CandleSeries,
  timer: StageTimer,
): MadeAnalysis | null {
  const { request, now } = options;
  const closure = findMarketClosure(request, series, now());
  if (!closure) return null;
  const analysis = closedMarketAnalysis(closure, series, request.timeframe);
  return unaskedAnalysis(options, analysis, { series, timer });
}

const NOTHING_KNOWN: EvidencePack = { items: [], events: [] };

/** An analysis that no analyst was asked for, except to read the chart image. */
function unaskedAnalysis(
  { costs, chartImage, now }: AnalysisOptions,
  analysis: UnsizedAnalysis,
  inputs: {
    series: CandleSeries;
    timer: StageTimer;
    pack?: EvidencePack;
    chartAnswer?: ChartAnswer | null;
  },
): MadeAnalysis {
  const { series, timer, pack = NOTHING_KNOWN, chartAnswer = null } = inputs;
  const { items: evidence, events } = pack;
  const { durationsMs } = timer;
  const found = { evidence, events };
  return {
    analysis,
    quoteToUsd: null,
    rejectedTrade: null,
    candles: series.candles,
    provenance: writeProvenance({
      series,
      costs,
      chartImage,
      chartAnswer,
      madeAt: now(),
      durationsMs,
      ...found,
    }),
    isImageUnused: chartImage !== undefined,
  };
}

async function gatherEvidence(
  { evidence, costs, abort }: AnalysisOptions,
  brief: MarketBrief,
  series: CandleSeries,
  timer: StageTimer,
): Promise<EvidencePack> {
  if (!evidence) return NOTHING_KNOWN;
  return timer.run("fetching", () => evidence.gather({ brief, series, costs }, abort));
}

/** The WAIT near an event, for which no analyst is asked. */
const eventAnalysis = (
  warnings: readonly string[],
  series: CandleSeries,
  brief: MarketBrief,
): UnsizedAnalysis =>
  unaskedWait({
    reason:
      "A scheduled event is near, and prices may jump. No analysis was made, and you were not charged.",
    condition: "Scheduled event",
    warnings: [...series.notes, ...warnings],
    series,
    lastCandleAt: brief.lastCandleAt,
  });

function findUsdRate(
  { request, marketData, abort }: AnalysisOptions,
  { data }: CandleSeries,
  { entry }: Advice,
): Promise<number | null> {
  const { symbol, timeframe } = request;
  if (entry === null || usdPerQuote({ symbol, entry }) !== null) return Promise.resolve(null);
  const currency = symbolCurrencies(symbol).quote;
  return fetchUsdRate({ currency, timeframe, data, marketData, abort });
}

interface RateOptions extends Pick<AnalysisOptions, "marketData" | "abort"> {
  currency: string;
  timeframe: Timeframe;
  data: CandleSeries["data"];
}

/**
 * Returns USD per unit of `currency` from a market with the same kind of data: a live trade is not sized by a replayed
 * rate.
 */
export async function fetchUsdRate(options: RateOptions): Promise<number | null> {
  const { currency, timeframe, data, marketData, abort } = options;
  const markets = [
    { symbol: `${currency}/USD`, toRate: (close: number) => close },
    { symbol: `USD/${currency}`, toRate: (close: number) => 1 / close },
    { symbol: `${currency}/USDT`, toRate: (close: number) => close },
  ];
  for (const { symbol, toRate } of markets) {
    const fetching = marketData.candles({ symbol, timeframe, limit: 1, abort });
    const series = await raceAbort(fetching, abort).catch((error: unknown) => {
      abort.throwIfAborted();
      // The next market may have the rate.
      if (error instanceof ProviderError) return null;
      throw error;
    });
    const close = series?.data === data ? series.candles.at(-1)?.close : undefined;
    if (close !== undefined) return toRate(close);
  }
  return null;
}
