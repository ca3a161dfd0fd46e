import type { AnalystRecord } from "../lib/performance/use-analyst-record.ts";
import { Skeleton } from "./skeleton.tsx";
import { TextLink } from "./text-link.tsx";

const texts = {
  titles: {
    live: "Record of this analyst version, live data",
    replay: "Record of this analyst version, demo data",
  },
  details: "Details",
  loading: "Loading the record",
  failed: "The record cannot be shown right now.",
  none: "No record yet: no trade of this analyst version has been won or lost. Neither its confidence nor an edge over chance has been measured.",
} as const;

/**
 * Room for two facts, or for the edge alone, by the width of the panel, with a line to spare where fonts may wrap
 * differently: nothing moves when the record arrives.
 */
const heights = {
  stated: "min-h-59 @[18rem]:min-h-49 @md:min-h-40 @2xl:min-h-30",
  calibrated: "min-h-47 @[18rem]:min-h-40 @md:min-h-30 @2xl:min-h-23",
} as const;

/** What has been measured of an analyst version. */
export function AnalystRecordPanel({ record }: { record: AnalystRecord }) {
  const title = texts.titles[record.data];
  const height = record.isCalibrated ? heights.calibrated : heights.stated;
  return (
    <div className="@container">
      <section
        aria-label={title}
        className={`figures flex flex-col gap-2 rounded-control border border-line bg-canvas px-4 py-3 text-sm ${height}`}
      >
        <div className="flex items-baseline justify-between gap-4 text-xs text-ink-faint">
          <h3>{title}</h3>
          <TextLink to={record.address}>{texts.details}</TextLink>
        </div>
        <RecordContent record={record} />
      </section>
    </div>
  );
}

function RecordContent({ record: { state, facts } }: { record: AnalystRecord }) {
  if (state === "loading") {
    return (
      <div role="status" aria-label={texts.loading} className="flex flex-col gap-2.5 pt-1">
        <Skeleton className="h-4 w-3/5" />
        <Skeleton className="h-4 w-4/5" />
      </div>
    );
  }
  if (state === "failed") return <p className="text-ink-muted">{texts.failed}</p>;
  if (facts.length === 0) return <p className="text-ink-muted">{texts.none}</p>;
  return (
    <dl className="grid gap-x-4 gap-y-2 @2xl:grid-cols-[13rem_1fr]">
      {facts.map(({ trades, text }) => (
        <div key={trades} className="@2xl:contents">
          <dt className="text-ink-faint">{trades}</dt>
          <dd className="text-pretty">{text}</dd>
        </div>
      ))}
    </dl>
  );
}
