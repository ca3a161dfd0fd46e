interface ColumnHeadingsProps {
  /** Classes by the text of the column's heading. */
  columns: Record<string, string>;
  /** Classes of the row. */
  className: string;
}

/** The head of a table. */
export function ColumnHeadings({ columns, className }: ColumnHeadingsProps) {
  return (
    <thead>
      <tr className={className}>
        {Object.entries(columns).map(([name, columnClass]) => (
          <th key={name} scope="col" className={`font-medium ${columnClass}`}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}
