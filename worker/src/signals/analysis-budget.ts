import { countAiCost, isBudgetUsedUp, readAiSpending } from "@shared/domain/ai-budget.ts";
import pRetry from "p-retry";
import type { CallUsage } from "../analysis/analyst.ts";
import type { WorkerDeps } from "../worker-deps.ts";

export class BudgetUsedUpError extends Error {
  override readonly name = "BudgetUsedUpError";
}

type BudgetDeps = Pick<WorkerDeps, "database" | "logger" | "now" | "budgetUsdPerDay">;

/** About a minute in all, while the database is unavailable. */
const RETRIES = { retries: 12, minTimeout: 500, maxTimeout: 8_000 } as const;

/**
 * Checks today's spending. The rules cost nothing and are not limited.
 * @throws BudgetUsedUpError; the reason of `abort` once that fires
 */
export async function assertBudgetLeft(
  { database, now, budgetUsdPerDay, analyst }: BudgetDeps & Pick<WorkerDeps, "analyst">,
  abort: AbortSignal,
): Promise<void> {
  if (budgetUsdPerDay === undefined || analyst.name === "rules") return;
  const spentUsd = await pRetry(() => readAiSpending(database, now()), {
    ...RETRIES,
    signal: abort,
  });
  if (isBudgetUsedUp({ spentUsd, budgetUsd: budgetUsdPerDay })) {
    throw new BudgetUsedUpError("The daily AI budget is used up.");
  }
}

/** Adds the cost of a call to today's spending, independent of the run's outcome. Never throws. */
export async function countCallCost(
  { database, logger, now, budgetUsdPerDay }: BudgetDeps,
  { costUsd }: CallUsage,
): Promise<void> {
  if (costUsd === null || costUsd === 0) return;
  const call = { costUsd, endedAt: now(), budgetUsd: budgetUsdPerDay };
  try {
    await pRetry(() => countAiCost(database, call), RETRIES);
  } catch (error) {
    logger.error({ err: error, costUsd }, "the cost of an AI call could not be counted");
  }
}
