import { countAiCost, isBudgetUsedUp, readAiSpending } from "@shared/domain/ai-budget.ts";
import pRetry from "p-retry";
import type { CallUsage } from "../analysis/analyst.ts";
import type { WorkerDeps } from "../worker-deps.ts";

/** An analysis may not ask the AI: the daily budget is used up. */
export class BudgetUsedUpError extends Error {
  override readonly name = "BudgetUsedUpError";
}

type BudgetDeps = Pick<WorkerDeps, "database" | "logger" | "now" | "budgetUsdPerDay">;

/** About a minute in all, while the database is away. */
const RETRIES = { retries: 12, minTimeout: 500, maxTimeout: 8_000 } as const;

/**
 * Checks the day's spending before the AI is asked. The rules analyst costs nothing and is not limited.
 * @throws BudgetUsedUpError at 100 percent of the budget; the reason of `abort` once that fires
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

/**
 * Counts the cost of a call that has just ended, if it is known. It does not depend on the run, which may be aborted or
 * fail: the call is paid for. Never throws; a cost that cannot be counted is logged.
 */
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
