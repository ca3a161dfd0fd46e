import type { MarketDataSource } from "@shared/contract/market-data.ts";
import type { Database } from "@shared/database/database.ts";
import { BENCH_SETUP_ID } from "@shared/database/models/analyst-bench.ts";
import { type AnalystBench, keyWithData } from "./arms.ts";

/** Stores how the bench is configured, or that there is none. An arm that stays the same keeps its time. */
export async function reportBench(
  { database }: { database: Database },
  bench: (AnalystBench & { isDemo: boolean; data?: MarketDataSource }) | null,
): Promise<void> {
  const known = await database.benchSetups.findById(BENCH_SETUP_ID).lean();
  if (!bench && (!known || known.isDemo)) return;
  const reportedAt = database.now();
  const arms = (bench?.arms ?? []).map((arm) => {
    const { id, label, analyst, model, isBaseline } = arm;
    const key = keyWithData(arm.key, bench?.data ?? "live");
    const since = known?.arms.find((each) => each.key === key)?.since ?? reportedAt;
    const { version } = analyst;
    const name = analyst.name === "openai" ? ("openai" as const) : ("rules" as const);
    return {
      id,
      key,
      label,
      analyst: name,
      version,
      model,
      isBaseline,
      since,
      mayBeAnalyst: arm.product !== null,
    };
  });
  const isSame =
    known !== null &&
    known.isDemo === (bench?.isDemo ?? false) &&
    known.budgetUsd === (bench?.budgetUsd ?? null) &&
    JSON.stringify(known.arms.map(({ key, label }) => [key, label])) ===
      JSON.stringify(arms.map(({ key, label }) => [key, label])) &&
    JSON.stringify(known.markets) === JSON.stringify(bench?.markets ?? []);
  if (isSame) return;
  const setup = {
    isDemo: bench?.isDemo ?? false,
    arms,
    markets: [...(bench?.markets ?? [])],
    budgetUsd: bench?.budgetUsd ?? null,
    reportedAt,
  };
  await database.benchSetups.updateOne({ _id: BENCH_SETUP_ID }, { $set: setup }, { upsert: true });
}
