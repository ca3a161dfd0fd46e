interface ColumnHeadingsProps {
  columns: Record<string, string>;
  className: string;
}

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
