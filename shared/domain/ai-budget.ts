import { BUDGET_PERCENTS } from "@shared/contract/constants.ts";
import { commit } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import type { Database } from "../database/database.ts";

const NANO_PER_USD = 1_000_000_000;

interface AiBudget {
  spentUsd: number;
  budgetUsd: number;
  /** Part of the budget that may be used; all of it by default. */
  percent?: number;
}

/** Returns the cost of the AI calls that ended on the UTC day of `at`, in US dollars. */
export async function readAiSpending(database: Database, at: Date): Promise<number> {
  const spending = await database.aiSpending.findById(dayOf(at)).lean();
  return (spending?.nanoUsd ?? 0) / NANO_PER_USD;
}

/** Returns true if no new analysis may use the AI on this day. */
export const isBudgetUsedUp = ({ spentUsd, budgetUsd, percent = 100 }: AiBudget): boolean =>
  toNanoUsd(spentUsd) >= thresholdNanoUsd(budgetUsd, percent);

/**
 * Adds the cost of an AI call to the UTC day in which it ended, and notifies the administrators when the day reaches
 * 80 or 100 percent of the budget. If it fails, the cost may have been added all the same.
 * @param call.costUsd US dollars, 0 or more
 * @param call.budgetUsd unset without a budget
 */
export async function countAiCost(
  database: Database,
  call: { costUsd: number; endedAt: Date; budgetUsd?: number | undefined },
): Promise<void> {
  const { costUsd, endedAt, budgetUsd } = call;
  const costNanoUsd = toNanoUsd(costUsd);
  const _id = dayOf(endedAt);
  const addition = { _id, costNanoUsd, between: spendingBetween(costNanoUsd, budgetUsd) };
  await database.aiSpending.updateOne({ _id }, { $setOnInsert: { nanoUsd: 0 } }, { upsert: true });
  let isCounted = false;
  // Spending only grows, so another call can get ahead once at each threshold.
  while (!isCounted) {
    isCounted =
      (await addBetween(database, addition)) ||
      (await addAndNotify(database, { ...addition, endedAt, budgetUsd }));
  }
}

interface Addition {
  _id: string;
  costNanoUsd: number;
  between: ReturnType<typeof spendingBetween>;
}

function spendingBetween(costNanoUsd: number, budgetUsd: number | undefined) {
  const percents = budgetUsd === undefined ? [] : BUDGET_PERCENTS;
  const thresholds = percents.map((percent) => thresholdNanoUsd(budgetUsd ?? 0, percent));
  return [0, ...thresholds].map((reached, index) => ({
    nanoUsd: { $gte: reached, $lt: (thresholds[index] ?? Number.POSITIVE_INFINITY) - costNanoUsd },
  }));
}

/**
 * Adds a cost that reaches no threshold. A transaction would conflict with those of other workers.
 * @returns false if it reaches one; nothing is added then
 */
async function addBetween(
  { aiSpending }: Database,
  { _id, costNanoUsd, between }: Addition,
): Promise<boolean> {
  const { matchedCount } = await aiSpending.updateOne(
    { _id, $or: between },
    { $inc: { nanoUsd: costNanoUsd } },
  );
  return matchedCount > 0;
}

/**
 * Adds a cost that reaches a threshold, with an event for each.
 * @returns false if it reaches none; nothing is added then
 */
async function addAndNotify(
  database: Database,
  addition: Addition & { endedAt: Date; budgetUsd: number | undefined },
): Promise<boolean> {
  const { _id, costNanoUsd, between, endedAt, budgetUsd = 0 } = addition;
  const lockKeys = [`ai-spending:${_id}`, ADMINS_STREAM];
  return commit(database, { lockKeys, now: () => endedAt }, async (uow) => {
    const before = await database.aiSpending
      .findOneAndUpdate(
        { _id, $nor: between },
        { $inc: { nanoUsd: costNanoUsd } },
        { session: uow.session, returnDocument: "before" },
      )
      .lean();
    if (!before) return false;
    const spentNanoUsd = before.nanoUsd + costNanoUsd;
    for (const percent of BUDGET_PERCENTS) {
      const threshold = thresholdNanoUsd(budgetUsd, percent);
      if (before.nanoUsd >= threshold || spentNanoUsd < threshold) continue;
      const spent_usd = spentNanoUsd / NANO_PER_USD;
      uow.addEvent(ADMINS_STREAM, "budget:reached", { percent, spent_usd, budget_usd: budgetUsd });
    }
    return true;
  });
}

const toNanoUsd = (usd: number): number => Math.round(usd * NANO_PER_USD);

const thresholdNanoUsd = (budgetUsd: number, percent: number): number =>
  (toNanoUsd(budgetUsd) * percent) / 100;

/** `2026-03-18`, in UTC. */
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10);
