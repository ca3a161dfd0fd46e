import { formatPoints } from "@shared/contract/edge-statement.ts";
import type { RecordPart } from "@shared/contract/performance.ts";
import { formatCount, formatR, formatSkill } from "../../lib/format.ts";
import { type Column, NumberTable } from "../../ui/table.tsx";

export type PartRow = RecordPart & { name: string };

interface PartTableProps {
  /** What the rows are. */
  name: string;
  rows: readonly PartRow[];
}

/** Figures of each part of a record. */
export function PartTable({ name, rows }: PartTableProps) {
  if (rows.length === 0) return null;
  return (
    <NumberTable
      caption={`Edge, result and skill by ${name.toLowerCase()}`}
      hidesCaption
      columns={[{ name, value: (row) => row.name }, ...columns]}
      rows={rows}
      keyOf={(row) => row.name}
    />
  );
}

const FEW = <span className="text-ink-faint">too few</span>;

const columns: readonly Column<PartRow>[] = [
  {
    name: "Trades",
    value: ({ trades, effective_trades: effective }) => (
      <Bounded bounds={`${formatCount(effective)} indep.`}>{formatCount(trades)}</Bounded>
    ),
  },
  {
    name: "Edge, pp",
    value: ({ lift, edge_bounds: bounds }) =>
      lift ? (
        <Bounded bounds={bounds && `${formatPoints(bounds.low)} to ${formatPoints(bounds.high)}`}>
          {formatPoints(lift.value)}
        </Bounded>
      ) : (
        FEW
      ),
  },
  {
    name: "Pays the costs, pp",
    isWide: true,
    value: ({ break_even_edge: edge }) => (edge === null ? FEW : formatPoints(edge)),
  },
  {
    name: "Per trade",
    value: ({ expectancy_r: mean }) => (mean ? formatR(mean.value) : FEW),
  },
  {
    name: "Brier skill",
    isWide: true,
    value: ({ brier_skill: skill }) =>
      skill ? (
        <Bounded bounds={`${formatSkill(skill.low)} to ${formatSkill(skill.high)}`}>
          {formatSkill(skill.value)}
        </Bounded>
      ) : (
        FEW
      ),
  },
  {
    name: "More trades to know",
    isWide: true,
    value: ({ more_trades_to_know: more }) =>
      more === null ? FEW : formatCount(Number(more.toPrecision(2))),
  },
];

function Bounded({ bounds, children }: { bounds: string | null; children: string }) {
  return (
    <>
      {children}
      {bounds && <span className="block text-xs text-ink-faint">{bounds}</span>}
    </>
  );
}
