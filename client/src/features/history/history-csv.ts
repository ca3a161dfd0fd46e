import type { HistoryItem } from "@shared/contract/signal.ts";

const COLUMNS = [
  "timestamp",
  "symbol",
  "timeframe",
  "status",
  "signal",
  "confidence",
  "entry",
  "stop_loss",
  "take_profit",
  "outcome",
  "rationale",
  "id",
] as const;

/** Spreadsheets take a text that begins so for a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** The items as CSV (RFC 4180) with a header line; an outcome that is not there yet reads PENDING. */
export function historyCsv(items: HistoryItem[]): string {
  const lines = items.map((item) => COLUMNS.map((column) => cell(fieldOf(item, column))).join(","));
  return `${[COLUMNS.join(","), ...lines].join("\r\n")}\r\n`;
}

function fieldOf(item: HistoryItem, column: (typeof COLUMNS)[number]): string | number | null {
  return column === "outcome" ? (item.outcome ?? "PENDING") : item[column];
}

function cell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
