import { csvLine } from "@shared/contract/csv.ts";
import { MESSAGES } from "@shared/contract/messages.ts";
import type { PerformanceExportQuery } from "@shared/contract/performance.ts";
import type { Database } from "@shared/database/database.ts";
import type { MarketAnalysisRecord } from "@shared/database/models/market-analysis.ts";
import { seriesKeysOf, seriesOf } from "@shared/domain/performance-series.ts";
import { firstDay } from "./performance.ts";

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
    .lean<Trade[]>()
    .cursor();
  for await (const trade of trades) {
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
    analyst: source.analyst,
    analyst_version: source.analyst_version ?? null,
    analysis_id: String(trade._id),
    ledger_record: trade.ledgerSeq ?? null,
    record: source.demo_record ? MESSAGES.demoRecord : null,
  };
}
