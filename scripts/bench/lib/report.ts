type Cell = string | number;

/** Prints rows of the same columns as a Markdown table, for the documentation. */
export function printTable(title: string, rows: readonly Record<string, Cell>[]): void {
  const columns = Object.keys(rows[0] ?? {});
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const body = rows.map((row) => line(columns.map((column) => formatCell(row[column] ?? ""))));
  console.log(`\n${title}\n`);
  console.log([line(columns), line(columns.map(() => "---")), ...body].join("\n"));
}

/** A measurement on a shared machine is good for three digits. */
function formatCell(cell: Cell): string {
  if (typeof cell === "string") return cell;
  return Math.abs(cell) >= 100 || Number.isInteger(cell)
    ? Math.round(cell).toLocaleString("en-US")
    : String(Number(cell.toPrecision(3)));
}

/** Percentile by the nearest-rank method; `share` is from 0 to 1. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[rank - 1] ?? Number.NaN;
}
