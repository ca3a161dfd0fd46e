import { type Bench, type BenchDetails, MAX_BENCH_POINTS } from "@shared/contract/analyst-bench.ts";
import { resolutionSchema } from "@shared/contract/resolution.ts";
import { analysisSchema } from "@shared/contract/signal.ts";
import { type Database, readEach } from "@shared/database/database.ts";
import {
  type ArmDaySums,
  BENCH_REPORT_ID,
  BENCH_SETUP_ID,
  type BenchDayRecord,
  type BenchSetupArm,
  type BenchSetupRecord,
  type PairDaySums,
} from "@shared/database/models/analyst-bench.ts";
import {
  type ClosedShadow,
  comparePair,
  figuresOfArm,
  type JudgedAnalysis,
  latencyPercentile,
  meanOfArm,
  openKey,
  pairLevel,
  sumBenchDay,
} from "@shared/stats/analyst-bench.ts";
import { holdingOf } from "@shared/stats/intervals.ts";
import { closedTrade } from "@shared/stats/tally.ts";
import type { Types } from "mongoose";
import { z } from "zod";
import type { WorkerDeps } from "../worker-deps.ts";

type MeasureDeps = Pick<WorkerDeps, "database" | "logger" | "now"> & { abort?: AbortSignal };

/**
 * Builds the sums of the days that changed, and the report of the bench from the sums of all days. Repeatable.
 * @returns the rebuilt days
 */
export async function measureBench(deps: MeasureDeps): Promise<string[]> {
  const { database } = deps;
  const changed = await database.shadowAnalyses.distinct("day", { isCounted: false });
  const setup = await database.benchSetups.findById(BENCH_SETUP_ID).lean();
  const report = await database.benchReports.findById(BENCH_REPORT_ID).lean();
  const isNewSetup = setup !== null && !(report && report.updatedAt >= setup.reportedAt);
  if (changed.length === 0 && !isNewSetup) return [];
  const waiting =
    changed.length > 0 ? await database.benchDays.distinct("_id", { isOpen: true }) : [];
  const days = [...new Set([...changed.filter((day) => day !== undefined), ...waiting])].toSorted();
  const oldestOpen = await findOldestOpen(database);
  for (const day of days) {
    deps.abort?.throwIfAborted();
    await buildDay(deps, { day, oldestOpen });
  }
  if (setup) await writeReport(deps, setup);
  return days;
}

const oldestSchema = z.array(
  z.object({
    _id: z.object({ armKey: z.string(), symbol: z.string(), timeframe: z.string() }),
    oldest: z.date(),
  }),
);

async function findOldestOpen({ shadowAnalyses }: Database): Promise<Map<string, number>> {
  const found = await shadowAnalyses.aggregate([
    { $match: { resolveAt: { $exists: true }, outcome: null } },
    {
      $group: {
        _id: { armKey: "$armKey", symbol: "$symbol", timeframe: "$timeframe" },
        oldest: { $min: "$candleClosedAt" },
      },
    },
  ]);
  return new Map(
    oldestSchema
      .parse(found)
      .map(({ _id: { armKey, symbol, timeframe }, oldest }) => [
        openKey(armKey, `${symbol} ${timeframe}`),
        oldest.getTime(),
      ]),
  );
}

const PROJECTION = {
  armKey: 1,
  symbol: 1,
  timeframe: 1,
  candleClosedAt: 1,
  status: 1,
  outcome: 1,
  "resolution.reason": 1,
  "resolution.filled_at": 1,
  "resolution.resolved_at": 1,
  "resolution.fill": 1,
  "resolution.exit": 1,
  "resolution.r_multiple": 1,
  "resolution.outcome": 1,
  "result.analysis.final_signal": 1,
  "result.analysis.confidence": 1,
  "result.analysis.entry": 1,
  "result.analysis.stop_loss": 1,
  "result.analysis.take_profit": 1,
  "result.analysis.source.analyst": 1,
  "provenance.latencyMs": 1,
  "provenance.usage": 1,
} as const;

const storedSchema = z.object({
  armKey: z.string(),
  symbol: z.string(),
  timeframe: z.string(),
  candleClosedAt: z.date(),
  status: z.enum(["completed", "failed"]),
  outcome: z.string().optional(),
  resolution: resolutionSchema
    .pick({
      reason: true,
      filled_at: true,
      resolved_at: true,
      fill: true,
      exit: true,
      r_multiple: true,
      outcome: true,
    })
    .optional(),
  result: z
    .object({
      analysis: analysisSchema
        .pick({
          final_signal: true,
          confidence: true,
          entry: true,
          stop_loss: true,
          take_profit: true,
        })
        .extend({ source: z.object({ analyst: z.string() }) }),
    })
    .optional(),
  provenance: z.object({
    latencyMs: z.number(),
    usage: z.object({ costUsd: z.number().nullable() }).nullable(),
  }),
});
type Stored = z.infer<typeof storedSchema>;

async function buildDay(
  { database, logger }: MeasureDeps,
  { day, oldestOpen }: { day: string; oldestOpen: Map<string, number> },
): Promise<void> {
  const analyses: JudgedAnalysis[] = [];
  const over: Types.ObjectId[] = [];
  const open: Types.ObjectId[] = [];
  const query = database.shadowAnalyses.find({ day }).select(PROJECTION).lean();
  for await (const document of readEach(query)) {
    (document.outcome === undefined ? open : over).push(document._id);
    const { success, data, error } = storedSchema.safeParse(document);
    if (success) analyses.push(judged(data));
    else logger.warn({ err: error, analysisId: document._id }, "an analysis could not be counted");
  }
  const { _id, ...sums } = sumBenchDay(day, { analyses, oldestOpen });
  await database.benchDays.updateOne({ _id }, { $set: sums }, { upsert: true });
  const counted = { $set: { isCounted: true } };
  await database.shadowAnalyses.updateMany({ _id: { $in: over }, isCounted: false }, counted);
  // One that was resolved meanwhile has changed since.
  const stillOpen = { _id: { $in: open }, outcome: { $exists: false }, isCounted: false };
  await database.shadowAnalyses.updateMany(stillOpen, counted);
}

/** An analysis with its outcome, as it is stored. @throws ZodError */
export const judgedAnalysis = (record: unknown): JudgedAnalysis =>
  judged(storedSchema.parse(record));

function judged(stored: Stored): JudgedAnalysis {
  const { armKey, symbol, timeframe, candleClosedAt, status, resolution, result } = stored;
  const { latencyMs, usage } = stored.provenance;
  const isTrade = result !== undefined && result.analysis.final_signal !== "WAIT";
  return {
    armKey,
    market: `${symbol} ${timeframe}`,
    closedAt: candleClosedAt.getTime(),
    status,
    isTrade,
    isPending: isTrade && resolution === undefined,
    closed: closedOf(stored),
    latencyMs,
    // Without a call, nothing was paid for.
    costUsd: usage ? usage.costUsd : 0,
  };
}

function closedOf({ resolution, result }: Stored): ClosedShadow | null {
  if (!resolution || !result) return null;
  const { confidence, entry, stop_loss: stopLoss, take_profit: takeProfit } = result.analysis;
  if (entry === null || stopLoss === null || takeProfit === null) return null;
  const closed = closedTrade({ ...resolution, entry, stopLoss, takeProfit });
  if (!closed) return null;
  const { baseline, score, rMultiple: r, openedAt } = closed;
  const { outcome } = resolution;
  const held = holdingOf({ openedAt, resolvedAt: Date.parse(resolution.resolved_at) });
  const won = outcome === "EXPIRED" ? null : outcome === "WIN";
  return { r, stated: confidence / 100, baseline, score, won, heldHours: held.sum };
}

async function writeReport({ database, now }: MeasureDeps, setup: BenchSetupRecord): Promise<void> {
  const updatedAt = now();
  const days = await database.benchDays.find().sort({ _id: 1 }).lean();
  const records = await findRecords(database, setup.arms);
  const { bench, details } = composeReport(setup, { days, records, updatedAt });
  await database.benchReports.updateOne(
    { _id: BENCH_REPORT_ID },
    { $set: { bench, details, updatedAt: new Date(Math.max(+updatedAt, +setup.reportedAt)) } },
    { upsert: true },
  );
}

type Records = ReadonlyMap<string, { first: number | null; last: number | null }>;

/** The first and last ledger records of each arm. */
async function findRecords(
  { shadowAnalyses }: Database,
  arms: readonly BenchSetupArm[],
): Promise<Records> {
  const records = new Map<string, { first: number | null; last: number | null }>();
  for (const { key } of arms) {
    const recorded = { armKey: key, ledgerSeq: { $gt: 0 } };
    const of = (order: 1 | -1) =>
      shadowAnalyses.findOne(recorded).sort({ ledgerSeq: order }).select({ ledgerSeq: 1 }).lean();
    const [first, last] = await Promise.all([of(1), of(-1)]);
    records.set(key, { first: first?.ledgerSeq ?? null, last: last?.ledgerSeq ?? null });
  }
  return records;
}

interface Measured {
  days: readonly BenchDayRecord[];
  records: Records;
  updatedAt: Date;
}

/** Every figure of the bench, from the sums of its days. */
export function composeReport(
  setup: Omit<BenchSetupRecord, "_id">,
  { days, records, updatedAt }: Measured,
): { bench: Bench; details: BenchDetails } {
  const { arms, isDemo, markets } = setup;
  const measured = arms.map((arm) => ({ arm, days: daysOfArm(days, arm.key) }));
  const level = pairLevel(arms.length);
  const pairs = pairsOf(arms).map(([a, b]) =>
    comparePair({ a: a.id, b: b.id }, daysOfPair(days, a.key, b.key), level),
  );
  return {
    bench: {
      arms: measured.map(({ arm, days: own }) => presentArm(arm, own)),
      pairs: pairs.map(({ pair }) => pair),
    },
    details: {
      is_demo: isDemo,
      updated_at: updatedAt.toISOString(),
      markets,
      arms: measured.map(({ arm, days: own }) => ({
        id: arm.id,
        is_baseline: arm.isBaseline,
        waits: total(own, "waits"),
        pending: total(own, "pending"),
        first_record: records.get(arm.key)?.first ?? null,
        last_record: records.get(arm.key)?.last ?? null,
        curve: curveOf(own),
      })),
      pairs: pairs.map(({ pair: { a, b }, moreNeeded }) => ({ a, b, more_needed: moreNeeded })),
    },
  };
}

const pairsOf = <Item>(items: readonly Item[]): [Item, Item][] =>
  items.flatMap((a, index) => items.slice(index + 1).map((b): [Item, Item] => [a, b]));

interface ArmDay {
  day: string;
  sums: ArmDaySums;
}

const daysOfArm = (days: readonly BenchDayRecord[], key: string): ArmDay[] =>
  days.flatMap(({ _id: day, arms }) => {
    const sums = arms.find((arm) => arm.key === key);
    return sums ? { day, sums } : [];
  });

function daysOfPair(
  days: readonly BenchDayRecord[],
  a: string,
  b: string,
): { day: string; sums: PairDaySums }[] {
  return days.flatMap(({ _id: day, pairs }) => {
    const sums = pairs.find((pair) => [pair.a, pair.b].includes(a) && [pair.a, pair.b].includes(b));
    if (!sums) return [];
    if (sums.a === a) return { day, sums };
    return { day, sums: { ...sums, a, b, sumR: -sums.sumR, brierSum: -sums.brierSum } };
  });
}

const total = (
  days: readonly ArmDay[],
  name: "analyses" | "waits" | "pending" | "failed" | "decided" | "trades" | "costUsd" | "costed",
): number => days.reduce((sum, { sums }) => sum + sums[name], 0);

function presentArm(arm: BenchSetupArm, days: readonly ArmDay[]): Bench["arms"][number] {
  const { id, label, analyst, model, version, since } = arm;
  const all = total(days, "analyses") + total(days, "failed");
  const latencies = days.flatMap(({ sums }) => sums.latencies);
  const hasCost = all > 0 && total(days, "costed") === all;
  return {
    ...{ id, label, analyst, model, version, since: since.toISOString() },
    analyses: total(days, "analyses"),
    decided: total(days, "decided"),
    failed: total(days, "failed"),
    ...figuresOfArm(days),
    cost_per_analysis_usd: hasCost ? total(days, "costUsd") / all : null,
    latency_ms: { p50: latencyPercentile(latencies, 0.5), p95: latencyPercentile(latencies, 0.95) },
  };
}

type Point = BenchDetails["arms"][number]["curve"][number];

/** The sum of the results until each day, with the band of its mean. */
function curveOf(days: readonly ArmDay[]): Point[] {
  const traded = days.filter(({ sums }) => sums.trades > 0);
  const step = Math.max(1, Math.ceil(traded.length / MAX_BENCH_POINTS));
  const points: Point[] = [];
  let r = 0;
  for (const [index, { day, sums }] of traded.entries()) {
    r += sums.sumR;
    const isShown = (traded.length - 1 - index) % step === 0;
    if (isShown) points.push({ day, r, ...bandOf(traded.slice(0, index + 1)) });
  }
  return points;
}

/** The interval of the mean, as the table has it, for all trades until then. */
function bandOf(days: readonly ArmDay[]): Pick<Point, "low" | "high"> {
  const mean = meanOfArm(days);
  const trades = total(days, "trades");
  return { low: mean && mean.low * trades, high: mean && mean.high * trades };
}
