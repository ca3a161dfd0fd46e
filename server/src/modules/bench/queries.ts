import type { AdminBench, Bench, BenchDetails } from "@shared/contract/analyst-bench.ts";
import type { Database } from "@shared/database/database.ts";
import {
  ANALYST_CHOICE_ID,
  BENCH_REPORT_ID,
  BENCH_SETUP_ID,
  type BenchSetupArm,
  type BenchSetupRecord,
} from "@shared/database/models/analyst-bench.ts";
import { dayOf } from "@shared/domain/ai-budget.ts";
import { z } from "zod";
import type { ServerDeps } from "../../server-deps.ts";

const NANO_PER_USD = 1_000_000_000;

/** As a worker has computed it; empty without a bench. */
export async function readBench({ benchReports }: Database): Promise<Bench> {
  const report = await benchReports.findById(BENCH_REPORT_ID).select({ bench: 1 }).lean();
  return report?.bench ?? { arms: [], pairs: [] };
}

const NO_DETAILS: BenchDetails = {
  is_demo: false,
  updated_at: null,
  markets: [],
  arms: [],
  pairs: [],
};

export async function readBenchDetails({ benchReports }: Database): Promise<BenchDetails> {
  const report = await benchReports.findById(BENCH_REPORT_ID).select({ details: 1 }).lean();
  return report?.details ?? NO_DETAILS;
}

export async function readAdminBench({
  database,
  now,
}: Pick<ServerDeps, "database" | "now">): Promise<AdminBench> {
  const [setup, spending, choice] = await Promise.all([
    database.benchSetups.findById(BENCH_SETUP_ID).lean(),
    database.benchSpending.findById(dayOf(now())).lean(),
    database.analystChoices.findById(ANALYST_CHOICE_ID).lean(),
  ]);
  const budgetUsd = setup?.budgetUsd ?? null;
  const spentUsd = (spending?.nanoUsd ?? 0) / NANO_PER_USD;
  const isUsedUp = budgetUsd !== null && spentUsd >= budgetUsd;
  const arms = (setup?.arms ?? []).map(async (arm) => {
    const last = await readLast(database, arm);
    const spentByArm = (spending?.byArm[arm.id] ?? 0) / NANO_PER_USD;
    return { ...presentArm(arm), ...stateOf(arm, last, isUsedUp), spent_today_usd: spentByArm };
  });
  return {
    is_configured: isConfigured(setup),
    budget_usd_per_day: budgetUsd,
    spent_today_usd: spentUsd,
    analyst: choice?.arm ?? null,
    arms: await Promise.all(arms),
  };
}

const isConfigured = (setup: BenchSetupRecord | null): boolean =>
  setup !== null && !setup.isDemo && setup.arms.length > 0;

const presentArm = ({ id, label, analyst, model, version, ...arm }: BenchSetupArm) => ({
  ...{ id, label, analyst, model, version },
  is_baseline: arm.isBaseline,
  may_be_analyst: arm.mayBeAnalyst,
});

const lastSchema = z.object({
  status: z.enum(["completed", "failed"]),
  finishedAt: z.date(),
  provenance: z.object({ failure: z.string().optional() }),
});
type LastAnalysis = z.infer<typeof lastSchema>;

async function readLast(
  { shadowAnalyses }: Database,
  { key }: BenchSetupArm,
): Promise<LastAnalysis | null> {
  const last = await shadowAnalyses
    .findOne({ armKey: key })
    .sort({ candleClosedAt: -1 })
    .select({ status: 1, finishedAt: 1, "provenance.failure": 1 })
    .lean();
  return lastSchema.safeParse(last).data ?? null;
}

function stateOf(
  { analyst }: BenchSetupArm,
  last: LastAnalysis | null,
  isUsedUp: boolean,
): Pick<AdminBench["arms"][number], "state" | "failure" | "last_at"> {
  const failure = last?.status === "failed" ? (last.provenance.failure ?? "It failed.") : null;
  const last_at = last?.finishedAt.toISOString() ?? null;
  if (isUsedUp && analyst === "openai") return { state: "budget", failure, last_at };
  if (failure !== null) return { state: "failing", failure, last_at };
  return { state: last ? "running" : "waiting", failure, last_at };
}
