import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "@shared/database/database.ts";
import { dayOf } from "@shared/domain/ai-budget.ts";
import type { Analyst, CallUsage } from "../analysis/analyst.ts";

const NANO_PER_USD = 1_000_000_000;

/** No call takes longer. What is reserved after that is of a worker that died, and its call has been paid for. */
const RESERVED_MS = 5 * 60_000;

/** A call that does not fit beside those that run waits so long for them to end. */
const WAIT = { maxMs: 10_000, everyMs: 250 } as const;

/** The budget of the bench for this day is used up. */
export class BenchBudgetError extends Error {
  override readonly name = "BenchBudgetError";
  override readonly message = "The budget of the bench for this day is used up.";
}

export interface BenchBudget {
  database: Database;
  now: () => Date;
  /** Null without a limit. */
  budgetUsd: number | null;
}

/**
 * The analyst, who is asked only if the most expensive call so far still fits into the budget beside the calls that run: all
 * workers together exceed it by less than one call. Until the cost of one is known, only one runs.
 * @throws BenchBudgetError
 */
export function budgetedAnalyst(analyst: Analyst, arm: string, budget: BenchBudget): Analyst {
  return {
    ...analyst,
    async advise(request) {
      const call = await reserve(budget, arm, request.abort);
      let costUsd: number | null = null;
      const onUsage = (usage: CallUsage) => {
        costUsd = (costUsd ?? 0) + (usage.costUsd ?? 0);
        request.onUsage?.(usage);
      };
      try {
        return await analyst.advise({ ...request, onUsage });
      } finally {
        await settle(budget, { ...call, arm, costUsd });
      }
    },
  };
}

interface Reservation {
  id: string;
  day: string;
}

async function reserve(budget: BenchBudget, arm: string, abort: AbortSignal): Promise<Reservation> {
  const day = await openDay(budget);
  const call = { id: randomUUID(), day };
  if (budget.budgetUsd === null) return call;
  const deadline = performance.now() + WAIT.maxMs;
  while (!(await tryToReserve(budget, budget.budgetUsd, { ...call, arm }))) {
    if (performance.now() > deadline) throw new BenchBudgetError();
    await delay(WAIT.everyMs, undefined, { signal: abort });
  }
  return call;
}

/** What the most expensive call costs is known from the days before. */
async function openDay({ database, now }: BenchBudget): Promise<string> {
  const { benchSpending } = database;
  const day = dayOf(now());
  if (await benchSpending.exists({ _id: day })) return day;
  const before = await benchSpending
    .findOne({ _id: { $lt: day } })
    .sort({ _id: -1 })
    .lean();
  const maxNanoUsd = before?.maxNanoUsd ?? 0;
  const first = { $setOnInsert: { nanoUsd: 0, maxNanoUsd, byArm: {}, reserved: [] } };
  await benchSpending.updateOne({ _id: day }, first, { upsert: true });
  return day;
}

/**
 * @returns false if the calls that run have to end before
 * @throws BenchBudgetError
 */
async function tryToReserve(
  { database, now }: BenchBudget,
  budgetUsd: number,
  { id, day, arm }: Reservation & { arm: string },
): Promise<boolean> {
  const at = now();
  const { benchSpending } = database;
  await countLost(database, day, at);
  const budgetNanoUsd = Math.floor(budgetUsd * NANO_PER_USD);
  // The last call may exceed the budget, and no other runs then.
  const estimate = { $cond: [{ $gt: ["$maxNanoUsd", 0] }, "$maxNanoUsd", budgetNanoUsd] };
  const committed = { $add: ["$nanoUsd", { $sum: "$reserved.nanoUsd" }] };
  const fits = { $lte: [{ $add: [committed, estimate] }, budgetNanoUsd] };
  const isLast = {
    $and: [{ $eq: ["$reserved", []] }, { $lt: ["$nanoUsd", budgetNanoUsd] }],
  };
  const { modifiedCount } = await benchSpending.updateOne(
    { _id: day, $expr: { $or: [fits, isLast] } },
    [
      {
        $set: {
          reserved: {
            $concatArrays: ["$reserved", [{ id, arm: { $literal: arm }, nanoUsd: estimate, at }]],
          },
        },
      },
    ],
    { updatePipeline: true },
  );
  if (modifiedCount > 0) return true;
  if (await benchSpending.exists({ _id: day, nanoUsd: { $lt: budgetNanoUsd } })) return false;
  throw new BenchBudgetError();
}

/** Counts calls of workers that died as if they had cost what was reserved for them. */
async function countLost(
  { benchSpending }: BenchBudget["database"],
  day: string,
  at: Date,
): Promise<void> {
  const lostBefore = new Date(at.getTime() - RESERVED_MS);
  const isLost = { $lt: ["$$call.at", lostBefore] };
  const lost = { $filter: { input: "$reserved", as: "call", cond: isLost } };
  const kept = { $filter: { input: "$reserved", as: "call", cond: { $not: [isLost] } } };
  await benchSpending.updateOne(
    { _id: day, "reserved.at": { $lt: lostBefore } },
    [
      {
        $set: {
          nanoUsd: {
            $add: ["$nanoUsd", { $sum: { $map: { input: lost, in: "$$this.nanoUsd" } } }],
          },
          reserved: kept,
        },
      },
    ],
    { updatePipeline: true },
  );
}

async function settle(
  { database }: BenchBudget,
  { id, day, arm, costUsd }: Reservation & { arm: string; costUsd: number | null },
): Promise<void> {
  const nanoUsd = Math.ceil((costUsd ?? 0) * NANO_PER_USD);
  await database.benchSpending.updateOne(
    { _id: day },
    {
      $inc: { nanoUsd, [`byArm.${arm}`]: nanoUsd },
      // A call that is known to be free is no reason to wait for another one.
      ...(costUsd !== null && { $max: { maxNanoUsd: Math.max(nanoUsd, 1) } }),
      $pull: { reserved: { id } },
    },
  );
}

/** What the bench has spent on the day of `at`, in US dollars. */
export async function readBenchSpending(
  { benchSpending }: BenchBudget["database"],
  at: Date,
): Promise<number> {
  const spending = await benchSpending.findById(dayOf(at)).lean();
  return (spending?.nanoUsd ?? 0) / NANO_PER_USD;
}
