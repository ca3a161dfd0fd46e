import type { HistoryItem } from "@shared/contract/signal.ts";
import { expect, test } from "vitest";
import { historyCsv, historyJson } from "./history-toolbar.tsx";

const item: HistoryItem = {
  id: "s1",
  timestamp: "2025-11-21T12:00:00.000Z",
  symbol: "BTC/USDT",
  timeframe: "1h",
  status: "completed",
  signal: "BUY",
  confidence: 72.5,
  entry: 107_000.5,
  stop_loss: 106_000,
  take_profit: 109_000,
  rationale: "Trend is up",
  analysis_id: "a1",
};

const lines = (items: HistoryItem[]) => historyCsv(items).split("\r\n");

test("each signal is a line under the names of the columns, which state units", () => {
  expect(lines([{ ...item, note: "Too early again" }])).toEqual([
    "time_utc,symbol,timeframe,status,signal,confidence_percent,calibrated_confidence_percent,entry_quote_currency,stop_loss_quote_currency,take_profit_quote_currency,outcome,rationale,signal_id,analysis_id,record,note",
    "2025-11-21T12:00:00.000Z,BTC/USDT,1h,completed,BUY,72.5,,107000.5,106000,109000,PENDING,Trend is up,s1,a1,,Too early again",
    "",
  ]);
});

test("a rationale by topic is one cell with a line for each topic", () => {
  const rationale = { trend: "up", risk: "events" };
  expect(historyCsv([{ ...item, rationale }])).toContain(',"Trend: up\nRisk: events",');
});

test("levels that a WAIT has not are left empty", () => {
  const wait = {
    ...item,
    signal: "WAIT",
    entry: null,
    stop_loss: null,
    take_profit: null,
  } as const;
  expect(lines([wait])[1]).toContain(",WAIT,72.5,,,,,PENDING,");
});

test("commas, quotes and line breaks stay inside their cell", () => {
  expect(historyCsv([{ ...item, rationale: 'Up, "strong"\nvolume' }])).toContain(
    '"Up, ""strong""\nvolume"',
  );
});

test("a text that a spreadsheet would run is defused", () => {
  expect(historyCsv([{ ...item, rationale: "=HYPERLINK(1)" }])).toContain(",'=HYPERLINK(1),");
});

test("JSON has the same names, and says what belongs to the demo record", () => {
  const [row] = JSON.parse(historyJson([{ ...item, demo_record: true }]));
  expect(row).toMatchObject({
    entry_quote_currency: 107_000.5,
    confidence_percent: 72.5,
    analysis_id: "a1",
    record: "Demo record, from recorded candles",
  });
});
