type Cell = string | number;

/** Three digits say what a measurement on a shared machine can say. */
const present = (cell: Cell): string => {
  if (typeof cell === "string") return cell;
  return Math.abs(cell) >= 100 || Number.isInteger(cell)
    ? Math.round(cell).toLocaleString("en-US")
    : String(Number(cell.toPrecision(3)));
};

/** Prints rows of the same columns as a table in Markdown, so that it can go into the documentation as it is. */
export function printTable(title: string, rows: readonly Record<string, Cell>[]): void {
  const columns = Object.keys(rows[0] ?? {});
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const body = rows.map((row) => line(columns.map((column) => present(row[column] ?? ""))));
  console.log(`\n${title}\n`);
  console.log([line(columns), line(columns.map(() => "---")), ...body].join("\n"));
}
