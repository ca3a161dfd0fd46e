import type { ReactNode } from "react";

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

/** Says where data comes from that is not live. */
export function DataLabel({ children }: { children: ReactNode }) {
  return (
    <span className="rounded-md border border-wait/35 px-1.5 py-0.5 text-xs text-wait">
      {children}
    </span>
  );
}
