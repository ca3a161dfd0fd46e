import type { Bench, BenchDetails, BenchPair } from "@shared/contract/analyst-bench.ts";
import { formatCount, formatR } from "../../../lib/format.ts";
import { Card } from "../../../ui/card.tsx";

interface MatrixProps {
  bench: Bench;
  details: BenchDetails;
}

/** Each arm against each other, as the row sees it. */
export function PairMatrix({ bench, details }: MatrixProps) {
  const { arms } = bench;
  if (arms.length < 2) return null;
  return (
    <Card className="flex flex-col gap-4 p-5 sm:p-6">
      <div className="flex flex-col gap-1">
        <h3 className="text-lg font-semibold tracking-tight">Which is better?</h3>
        <p className="max-w-3xl text-sm text-ink-muted text-pretty">
          The mean difference in R at the candles that both judged: the arm of the row less that of
          the column. It is known once its interval excludes 0, and at most 5% of all such records
          ever have a wrong one, over all pairs together and however often one looks.
        </p>
      </div>
      <section
        aria-label="Differences of the arms in pairs"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it sideways
        tabIndex={0}
        className="-mx-5 overflow-x-auto px-5 max-lg:mask-r-from-90% sm:-mx-6 sm:px-6"
      >
        <table className="w-full min-w-2xl text-sm">
          <caption className="sr-only">Differences of the arms in pairs</caption>
          <thead>
            <tr className="border-b border-line text-ink-faint">
              <td />
              {arms.slice(1).map(({ id, label }) => (
                <th key={id} scope="col" className="px-3 py-2 text-left font-medium">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {arms.slice(0, -1).map((row, index) => (
              <tr key={row.id}>
                <th
                  scope="row"
                  className="sticky left-0 bg-surface py-3 pr-3 text-left align-top font-medium"
                >
                  {row.label}
                </th>
                {arms.slice(1).map((column, at) => (
                  <td key={column.id} className="px-3 py-3 align-top">
                    {at >= index && (
                      <PairCell
                        pair={bench.pairs.find(({ a, b }) => a === row.id && b === column.id)}
                        moreNeeded={
                          details.pairs.find(({ a, b }) => a === row.id && b === column.id)
                            ?.more_needed ?? null
                        }
                      />
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Card>
  );
}

/** Further trades are guessed only as far as that. */
const MAX_NEEDED = 100_000;

export function verdictOf(pair: BenchPair, moreNeeded: number | null): string {
  const { conclusive, difference_r: difference } = pair;
  if (conclusive) return (difference.value ?? 0) > 0 ? "Better" : "Worse";
  if (moreNeeded === null || moreNeeded > MAX_NEEDED) return "Not known yet";
  return `Not known yet: about ${formatCount(Number(moreNeeded.toPrecision(2)))} more trades`;
}

function PairCell({
  pair,
  moreNeeded,
}: {
  pair: BenchPair | undefined;
  moreNeeded: number | null;
}) {
  if (!pair || pair.difference_r.value === null) {
    return <span className="text-ink-faint">No common trades yet</span>;
  }
  const { value, low, high } = pair.difference_r;
  const known = value > 0 ? "text-buy" : "text-sell";
  const tone = pair.conclusive ? known : "text-ink-muted";
  return (
    <>
      <span className="figures font-medium">{formatR(value)}</span>
      {low !== null && high !== null && (
        <span className="figures block text-xs text-ink-faint">
          {formatR(low)} to {formatR(high)}
        </span>
      )}
      <span className={`block text-xs ${tone}`}>{verdictOf(pair, moreNeeded)}</span>
      <span className="figures block text-xs text-ink-faint">
        {formatCount(pair.common)} common
      </span>
    </>
  );
}
