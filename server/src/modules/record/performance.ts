import { DAY_MS } from "@shared/contract/durations.ts";
import type {
  Performance,
  PerformancePeriod,
  PerformanceQuery,
} from "@shared/contract/performance.ts";
import type { Database } from "@shared/database/database.ts";
import {
  PERFORMANCE_STATE_ID,
  type PerformanceStateRecord,
} from "@shared/database/models/performance.ts";
import { seriesOf } from "@shared/domain/performance-series.ts";
import { computeMetrics } from "@shared/stats/performance-metrics.ts";
import { mergeTallies } from "@shared/stats/tally.ts";

const PERIOD_DAYS: Record<PerformancePeriod, number | null> = {
  "7d": 7,
  "30d": 30,
  "90d": 90,
  "365d": 365,
  all: null,
};

/** Performance of the selected signals. The cost depends on the days of the period, not on the number of signals. */
export async function readPerformance(
  deps: { database: Database; now: () => Date },
  query: PerformanceQuery,
): Promise<Performance> {
  const { database, now } = deps;
  const since = firstDay(query.period, now());
  const series = seriesOf(query);
  const [state, days] = await Promise.all([
    database.performanceStates.findById(PERFORMANCE_STATE_ID).lean(),
    series === null
      ? []
      : database.performanceDays
          .find({ series, ...(since && { day: { $gte: since } }) })
          .sort({ day: 1 })
          .select({ _id: 0, tally: 1 })
          .lean(),
  ]);
  return {
    since,
    updated_at: state?.until.toISOString() ?? null,
    ...computeMetrics(mergeTallies(days.map(({ tally }) => tally))),
    recorded: recordedOf(state, query),
  };
}

/** First day of a period; null for the whole record. */
export function firstDay(period: PerformancePeriod, now: Date): string | null {
  const days = PERIOD_DAYS[period];
  if (days === null) return null;
  return new Date(now.getTime() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
}

function recordedOf(
  state: PerformanceStateRecord | null,
  { data }: PerformanceQuery,
): Performance["recorded"] {
  const kinds = state?.recorded.filter((kind) => kind.data === data) ?? [];
  const analysts = new Map(
    kinds.map(({ analyst, version }) => [`${analyst}|${version}`, { analyst, version }]),
  );
  return {
    symbols: [...new Set(kinds.map(({ symbol }) => symbol))].toSorted(),
    analysts: [...analysts].toSorted(([a], [b]) => a.localeCompare(b)).map(([, one]) => one),
  };
}
