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

/** Value below which `share` (0–1) of the samples lie, by the nearest-rank method. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[rank - 1] ?? Number.NaN;
}

/** Milliseconds of each of `count` requests, one after the other, and the size of the last answer in bytes. */
export async function timeRequests(
  count: number,
  request: (index: number) => { url: string; token: string },
): Promise<{ times: number[]; bytes: number; wireBytes: number }> {
  const times: number[] = [];
  let bytes = 0;
  let wireBytes = 0;
  for (let index = 0; index < count; index++) {
    const { url, token } = request(index);
    const startedAt = performance.now();
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    const body = await response.arrayBuffer();
    times.push(performance.now() - startedAt);
    if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
    bytes = body.byteLength;
    wireBytes = Number(response.headers.get("content-length") ?? body.byteLength);
  }
  return { times, bytes, wireBytes };
}
