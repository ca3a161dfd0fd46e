import type { ReactNode } from "react";
import { Card } from "./card.tsx";
import { ColumnHeadings } from "./column-headings.tsx";

export interface Column<Row> {
  name: string;
  /** Left out on small screens, where more than three numbers do not fit beside the names. */
  isWide?: boolean;
  /** Colour of a value that needs attention. */
  tone?(row: Row): string | false;
  value(row: Row): ReactNode;
}

interface NumberTableProps<Row> {
  caption: ReactNode;
  /** The heading above says it already. */
  hidesCaption?: boolean;
  /** The first one names the row, the others are numbers. */
  columns: readonly [Column<Row>, ...Column<Row>[]];
  rows: readonly Row[];
  keyOf(row: Row): string;
}

const cellClass = "px-3 py-3 sm:px-5";
const numberClass = `${cellClass} text-right`;

/** A card with numbers about each row. */
export function NumberTable<Row>({ caption, columns, rows, ...table }: NumberTableProps<Row>) {
  const [name, ...numbers] = columns;
  const headings = columns.map((column): [string, string] => [
    column.name,
    column === name ? `${cellClass} text-left` : `${numberClass} ${wideClass(column)}`,
  ]);
  return (
    <Card className="overflow-hidden">
      <table className="w-full text-sm">
        <caption
          className={
            table.hidesCaption
              ? "sr-only"
              : `${cellClass} border-b border-line text-left text-ink-muted`
          }
        >
          {caption}
        </caption>
        <ColumnHeadings
          columns={Object.fromEntries(headings)}
          className="border-b border-line text-ink-faint"
        />
        <tbody className="divide-y divide-line">
          {rows.map((row) => (
            <tr key={table.keyOf(row)}>
              <th scope="row" className={`${cellClass} text-left font-medium wrap-anywhere`}>
                {name.value(row)}
              </th>
              {numbers.map((column) => (
                <td
                  key={column.name}
                  className={`${numberClass} figures whitespace-nowrap ${wideClass(column)} ${column.tone?.(row) || ""}`}
                >
                  {column.value(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

const wideClass = ({ isWide }: { isWide?: boolean | undefined }) => (isWide ? "max-sm:hidden" : "");
