import { DAY_MS, MESSAGES, TIMEFRAMES } from "@shared/contract/constants.ts";
import { csvLine } from "@shared/contract/files.ts";
import { INSTRUMENT_CLASSES, type InstrumentClass } from "@shared/contract/instruments.ts";
import type { Timeframe } from "@shared/contract/market-data.ts";
import type {
  AnalystModel,
  AnalystRecordQuery,
  ModelUsage,
  Performance,
  PerformanceExportQuery,
  PerformancePeriod,
  PerformanceQuery,
  RecordPart,
  RecordParts,
} from "@shared/contract/performance.ts";
import { type Database, readEach } from "@shared/database/database.ts";
import type { MarketAnalysisRecord } from "@shared/database/models/market-analysis.ts";
import {
  PERFORMANCE_STATE_ID,
  type PerformanceStateRecord,
} from "@shared/database/models/performance.ts";
import { addUsage, usageMetrics } from "@shared/stats/analyst-usage.ts";
import { computeMetrics, seriesKeysOf, seriesOf } from "@shared/stats/performance-metrics.ts";
import { mergeTallies, type Tally } from "@shared/stats/tally.ts";

const PERIOD_DAYS: Record<PerformancePeriod, number | null> = {
  "7d": 7,
  "30d": 30,
  "90d": 90,
  "365d": 365,
  all: null,
};

/** Performance of the selected signals. The cost depends on the days of the period, not on the number of signals. */
export async function readPerformance(
  deps: { database: Database; now: () => Date },
  query: PerformanceQuery,
): Promise<Performance> {
  const { database, now } = deps;
  const since = firstDay(query.period, now());
  const series = seriesOf(query);
  const state = await database.performanceStates.findById(PERFORMANCE_STATE_ID).lean();
  const recorded = recordedOf(state, query);
  const selection = { query, since, analysts: recorded.analysts };
  const [days, models] = await Promise.all([
    series === null
      ? []
      : database.performanceDays
          .find({ series, ...(since && { day: { $gte: since } }) })
          .sort({ day: 1 })
          .select({ _id: 0, tally: 1 })
          .lean(),
    readModels(database, selection),
  ]);
  return {
    since,
    updated_at: state?.until?.toISOString() ?? null,
    model: query.model ?? onlyModelOf(models),
    ...computeMetrics(mergeTallies(days.map(({ tally }) => tally))),
    models,
    recorded,
  };
}

/** Null for none, and for several. */
function onlyModelOf(models: readonly ModelUsage[]): string | null {
  const [only, ...others] = new Set(models.map(({ model }) => model));
  return only === undefined || others.length > 0 ? null : only;
}

interface ModelSelection {
  query: PerformanceQuery;
  since: string | null;
  analysts: readonly AnalystModel[];
}

const AUTHOR_FIELDS = ["analyst", "version", "model"] as const;

/** What the analyses of each selected analyst, version and model take. */
async function readModels(
  database: Database,
  { query, since, analysts }: ModelSelection,
): Promise<ModelUsage[]> {
  const selected = analysts
    .filter((one) => AUTHOR_FIELDS.every((name) => [undefined, one[name]].includes(query[name])))
    .flatMap((one) => ({ one, series: seriesOf({ ...query, ...one }) ?? [] }));
  const days = await database.performanceDays
    .find({
      series: { $in: selected.flatMap(({ series }) => series) },
      ...(since && { day: { $gte: since } }),
    })
    .select({ _id: 0, series: 1, "tally.categories": 1, "tally.usage": 1 })
    .lean<{ series: string; tally: Pick<Tally, "categories" | "usage"> }[]>();
  return selected.flatMap(({ one, series }) => {
    const tallies = days.filter((day) => day.series === series).map(({ tally }) => tally);
    const counts = tallies.flatMap(({ categories }) => Object.values(categories));
    const analyses = counts.reduce((sum, count) => sum + count, 0);
    const usage = usageMetrics(addUsage(tallies.map((tally) => tally.usage)));
    return analyses === 0 ? [] : { ...one, analyses, ...usage };
  });
}

/** The record of one analyst version and model by class and by timeframe; those with signals only. */
export async function readRecordParts(
  { database }: { database: Database },
  query: AnalystRecordQuery,
): Promise<RecordParts> {
  const whole = { ...query, period: "all" } as const;
  const seriesOfClass = (name: InstrumentClass) => seriesOf({ ...whole, class: name });
  const seriesOfTimeframe = (timeframe: Timeframe) => seriesOf({ ...whole, timeframe });
  const series = [
    ...INSTRUMENT_CLASSES.map(seriesOfClass),
    ...TIMEFRAMES.map(seriesOfTimeframe),
  ].flatMap((key) => key ?? []);
  const days = await database.performanceDays
    .find({ series: { $in: series } })
    .sort({ day: 1 })
    .select({ _id: 0, series: 1, tally: 1 })
    .lean();
  const partOf = (key: string | null): RecordPart[] => {
    const tallies = days.filter((day) => day.series === key).map(({ tally }) => tally);
    return tallies.length === 0 ? [] : [computeMetrics(mergeTallies(tallies))];
  };
  return {
    classes: INSTRUMENT_CLASSES.flatMap((name) =>
      partOf(seriesOfClass(name)).map((part) => ({ ...part, class: name })),
    ),
    timeframes: TIMEFRAMES.flatMap((timeframe) =>
      partOf(seriesOfTimeframe(timeframe)).map((part) => ({ ...part, timeframe })),
    ),
  };
}

/** First day of a period; null for the whole record. */
function firstDay(period: PerformancePeriod, now: Date): string | null {
  const days = PERIOD_DAYS[period];
  if (days === null) return null;
  return new Date(now.getTime() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
}

function recordedOf(
  state: PerformanceStateRecord | null,
  { data }: PerformanceQuery,
): Performance["recorded"] {
  const kinds = state?.recorded.filter((kind) => kind.data === data) ?? [];
  const analysts = new Map(
    kinds.map(({ analyst, version, model }) => [
      `${analyst}|${version}|${model}`,
      { analyst, version, model },
    ]),
  );
  return {
    symbols: [...new Set(kinds.map(({ symbol }) => symbol))].toSorted(),
    analysts: [...analysts].toSorted(([a], [b]) => a.localeCompare(b)).map(([, one]) => one),
  };
}

/** The closed trades of the selected signals, oldest first, as the text of a file. */
export async function* exportTrades(
  deps: { database: Database; now: () => Date },
  query: PerformanceExportQuery,
): AsyncGenerator<string> {
  const isCsv = query.format === "csv";
  let count = 0;
  for await (const trade of readTrades(deps, query)) {
    const row = exportRow(trade);
    if (isCsv && count === 0) yield csvLine(Object.keys(row));
    yield isCsv
      ? csvLine(Object.values(row))
      : `${count === 0 ? "[" : ","}\n${JSON.stringify(row)}`;
    count += 1;
  }
  if (!isCsv) yield count === 0 ? "[]\n" : "\n]\n";
}

type Trade = MarketAnalysisRecord &
  Required<Pick<MarketAnalysisRecord, "finishedAt" | "result" | "resolution">>;

async function* readTrades(
  { database, now }: { database: Database; now: () => Date },
  query: PerformanceExportQuery,
): AsyncGenerator<Trade> {
  const since = firstDay(query.period, now());
  const series = seriesOf(query);
  if (series === null) return;
  const trades = database.marketAnalyses
    .find({
      outcome: { $exists: true },
      status: "completed",
      "resolution.resolved_at": { $gte: since ?? "" },
    })
    .sort({ "resolution.resolved_at": 1 })
    .select({ provenance: 0, "result.analysis.raw_ai": 0 })
    .lean<Trade[]>();
  for await (const trade of readEach(trades)) {
    if (seriesKeysOf(trade).includes(series)) yield trade;
  }
}

/** A trade in exports. Names state units; prices are in the quote currency of the symbol, R is entry to stop. */
function exportRow({ result: { analysis }, resolution, ...trade }: Trade) {
  const { source } = analysis;
  return {
    time_utc: trade.finishedAt.toISOString(),
    symbol: trade.symbol,
    timeframe: trade.timeframe,
    signal: analysis.final_signal,
    confidence_percent: analysis.confidence,
    calibrated_confidence_percent: analysis.calibrated_confidence ?? null,
    entry_quote_currency: analysis.entry,
    stop_loss_quote_currency: analysis.stop_loss,
    take_profit_quote_currency: analysis.take_profit,
    outcome: resolution.outcome,
    reason: resolution.reason,
    filled_at_utc: resolution.filled_at,
    fill_quote_currency: resolution.fill,
    exited_at_utc: resolution.exited_at,
    exit_quote_currency: resolution.exit,
    resolved_at_utc: resolution.resolved_at,
    result_r_after_fees: resolution.r_multiple,
    provider: source.provider,
    outcome_provider: resolution.provider ?? source.provider,
    provider_changed: resolution.provider_changed ?? false,
    provider_changed_at_utc: resolution.provider_changed_at ?? null,
    known_until_utc: resolution.known_until ?? null,
    analyst: source.analyst,
    analyst_version: source.analyst_version ?? null,
    model: source.model,
    analysis_id: String(trade._id),
    ledger_record: trade.ledgerSeq ?? null,
    record: source.demo_record ? MESSAGES.demoRecord : null,
  };
}
