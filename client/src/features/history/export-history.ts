import { HISTORY_PAGE } from "@shared/contract/constants.ts";
import type { HistoryItem } from "@shared/contract/signal.ts";
import { saveFile } from "../../lib/save-file.ts";
import { readHistory } from "./history-api.ts";
import { historyCsv } from "./history-csv.ts";
import type { HistoryFilter } from "./history-filter.ts";

export type ExportFormat = "csv" | "json";

const kinds = {
  csv: { type: "text/csv;charset=utf-8", write: historyCsv },
  json: {
    type: "application/json",
    write: (items: HistoryItem[]) => `${JSON.stringify(items, null, 2)}\n`,
  },
} as const;

interface ExportOrder {
  format: ExportFormat;
  filter: HistoryFilter;
  signal: AbortSignal;
  /** Hears how many signals have been read so far. */
  onProgress(read: number): void;
}

/**
 * Reads all signals that fit the filter, page by page, and saves them as a file.
 * @returns how many signals were saved
 */
export async function exportHistory({ format, ...read }: ExportOrder): Promise<number> {
  const items = await readAll(read);
  const { type, write } = kinds[format];
  const day = new Date().toISOString().slice(0, 10);
  saveFile({ name: `signal-history-${day}.${format}`, type, text: write(items) });
  return items.length;
}

async function readAll({
  filter,
  signal,
  onProgress,
}: Omit<ExportOrder, "format">): Promise<HistoryItem[]> {
  const items: HistoryItem[] = [];
  let cursor: string | null = null;
  do {
    const page = await readHistory({ cursor, limit: HISTORY_PAGE.max, filter, signal });
    items.push(...page.signals);
    cursor = page.next_cursor;
    onProgress(items.length);
  } while (cursor !== null);
  return items;
}
