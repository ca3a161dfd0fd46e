import Router from "@koa/router";
import {
  type Performance,
  type PerformancePeriod,
  type PerformanceQuery,
  performanceQuerySchema,
} from "@shared/contract/performance.ts";
import type { Database } from "@shared/database/database.ts";
import {
  PERFORMANCE_STATE_ID,
  type PerformanceStateRecord,
} from "@shared/database/models/performance.ts";
import { seriesOf } from "@shared/domain/performance-series.ts";
import { computeMetrics } from "@shared/stats/performance-metrics.ts";
import { mergeTallies } from "@shared/stats/tally.ts";
import { LRUCache } from "lru-cache";
import type { AppRouter, AppState } from "../../http/context.ts";
import { parseInput } from "../../http/request-input.ts";
import type { ServerDeps } from "../../server-deps.ts";

/** Half of the time in which the workers measure anew. */
const CACHE_SECONDS = 30;

/** Answers kept at once; an answer is at most some tens of kilobytes. */
const MAX_CACHED_ANSWERS = 200;

/**
 * How the signals turned out; public, and nobody can be told from it. However many ask at once, each choice of filters is
 * read once in half a minute.
 */
export function createPerformanceRoutes(deps: Pick<ServerDeps, "database" | "now">): AppRouter {
  const router = new Router<AppState>();

  const answers = new LRUCache<string, Performance, PerformanceQuery>({
    max: MAX_CACHED_ANSWERS,
    ttl: CACHE_SECONDS * 1_000,
    fetchMethod: (_key, _stale, { context }) => readPerformance(deps, context),
  });

  router.get("/performance", async (ctx) => {
    const query = parseInput(performanceQuerySchema, ctx.query);
    ctx.set("Cache-Control", `public, max-age=${CACHE_SECONDS}`);
    ctx.body = await answers.forceFetch(JSON.stringify(query), { context: query });
  });

  return router;
}

const DAY_MS = 86_400_000;

const PERIOD_DAYS: Record<PerformancePeriod, number | null> = {
  "7d": 7,
  "30d": 30,
  "90d": 90,
  "365d": 365,
  all: null,
};

/**
 * The figures of the signals that a query asks for. Costs as much as there are days in its period, whatever the number
 * of signals.
 */
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

/** Today is the last day of every period. */
function firstDay(period: PerformancePeriod, now: Date): string | null {
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
