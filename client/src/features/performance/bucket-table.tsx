import { formatPoints } from "@shared/contract/edge-statement.ts";
import type { ConfidenceBucketFigures } from "@shared/contract/performance.ts";
import { formatCount, formatRate, formatRound, formatRoundPoints } from "./format-figures.ts";
import { figureTexts, confidenceTexts as texts } from "./texts.ts";

const COLUMNS = [texts.decided, texts.won, texts.noEdge, texts.lift];

/** How signals of each range of confidence turned out; a range with too few of them shows its counts only. */
export function BucketTable({ buckets }: { buckets: readonly ConfidenceBucketFigures[] }) {
  return (
    <table className="figures w-full text-xs sm:text-sm">
      <thead>
        <tr className="border-b border-line text-right text-ink-faint">
          <th scope="col" className="py-2 text-left font-medium">
            {texts.stated}
          </th>
          {COLUMNS.map((name) => (
            <th key={name} scope="col" className="py-2 pl-1.5 sm:pl-2 font-medium">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {buckets.map((bucket) => (
          <BucketRow key={bucket.from} bucket={bucket} />
        ))}
      </tbody>
    </table>
  );
}

function BucketRow({ bucket }: { bucket: ConfidenceBucketFigures }) {
  const { from, to, decided, wins, win_rate: rate, no_edge_rate: noEdge, lift } = bucket;
  return (
    <tr className="border-b border-line text-right last:border-b-0">
      <th scope="row" className="py-2.5 text-left font-normal whitespace-nowrap">
        {from}–{to}%
      </th>
      <td className="py-2.5 pl-1.5 sm:pl-2">
        {formatCount(decided)}
        <span className="block text-[0.6875rem] text-ink-faint sm:text-xs">
          {formatCount(wins)} won
        </span>
      </td>
      {rate && noEdge !== null && lift ? (
        <>
          <td className="py-2.5 pl-1.5 sm:pl-2">
            <span className="font-medium">{formatRate(rate.value)}</span>
            <Interval low={formatRound(rate.low)} high={`${formatRound(rate.high)}%`} />
          </td>
          <td className="py-2.5 pl-1.5 sm:pl-2">{formatRate(noEdge)}</td>
          <td className="py-2.5 pl-1.5 sm:pl-2">
            {formatPoints(lift.value)} {figureTexts.pointsShort}
            <Interval
              low={formatRoundPoints(lift.low)}
              high={`${formatRoundPoints(lift.high)} ${figureTexts.pointsShort}`}
            />
          </td>
        </>
      ) : (
        <td colSpan={3} className="py-2.5 pl-1.5 sm:pl-2 text-ink-faint">
          {figureTexts.tooFew}
        </td>
      )}
    </tr>
  );
}

const Interval = ({ low, high }: { low: string; high: string }) => (
  <span className="block text-[0.6875rem] text-ink-faint sm:text-xs whitespace-nowrap">
    {low} to {high}
  </span>
);
