import type { ModelUsage, Usage, UsagePeriod } from "@shared/contract/admin.ts";
import { DAY_MS } from "@shared/contract/constants.ts";
import type { Database } from "@shared/database/database.ts";
import { dayOf, readAiSpending } from "@shared/domain/ai-budget.ts";
import type { ServerDeps } from "../../server-deps.ts";

const PERIOD_DAYS = { today: 1, last_7_days: 7, last_30_days: 30 } as const;

interface DayUsage {
  day: Date;
  model: string;
  signals: number;
  promptTokens: number;
  completionTokens: number;
  costUsd: number;
  pricedSignals: number;
}

export async function summarizeUsage(deps: ServerDeps): Promise<Usage> {
  const { database } = deps;
  const { OPENAI_BUDGET_USD_PER_DAY: budgetUsd } = deps.settings;
  const at = deps.now();
  const today = Math.floor(at.getTime() / DAY_MS) * DAY_MS;
  const sinceDays = (days: number) => new Date(today - (days - 1) * DAY_MS);
  const days = await sumByDay(database, sinceDays(PERIOD_DAYS.last_30_days));
  const period = (count: number) => sumPeriod(days, sinceDays(count));
  return {
    budget:
      budgetUsd === undefined
        ? null
        : { spent_usd: await readAiSpending(database, at), budget_usd: budgetUsd },
    analyses_today: await readAnalysesToday(deps),
    today: period(PERIOD_DAYS.today),
    last_7_days: period(PERIOD_DAYS.last_7_days),
    last_30_days: period(PERIOD_DAYS.last_30_days),
  };
}

const MAX_USERS = 20;

async function readAnalysesToday({
  database,
  settings,
  now,
}: ServerDeps): Promise<Usage["analyses_today"]> {
  const users = await database.users
    .find({ "analyses.day": dayOf(now()), "analyses.count": { $gt: 0 } })
    .select({ username: 1, analyses: 1 })
    .sort({ "analyses.count": -1 })
    .limit(MAX_USERS)
    .lean();
  return {
    limit: settings.RATE_LIMIT === "off" ? null : settings.ANALYSES_PER_USER_PER_DAY,
    users: users.map(({ username, analyses }) => ({ username, analyses: analyses?.count ?? 0 })),
  };
}

/** One row per day and model: at most a few hundred. */
function sumByDay(database: Database, since: Date): Promise<DayUsage[]> {
  const day = { $dateTrunc: { date: "$at", unit: "day" } };
  return database.signalUsages.aggregate<DayUsage>([
    { $match: { at: { $gte: since } } },
    {
      $group: {
        _id: { day, model: "$model" },
        signals: { $sum: 1 },
        promptTokens: { $sum: "$promptTokens" },
        completionTokens: { $sum: "$completionTokens" },
        costUsd: { $sum: "$costUsd" },
        pricedSignals: { $sum: { $cond: [{ $eq: ["$costUsd", null] }, 0, 1] } },
      },
    },
    { $set: { day: "$_id.day", model: "$_id.model" } },
    { $unset: "_id" },
  ]);
}

function sumPeriod(days: readonly DayUsage[], since: Date): UsagePeriod {
  const within = days.filter(({ day }) => day >= since);
  const models = [...new Set(within.map(({ model }) => model))];
  const byModel = models.map(
    (model): ModelUsage => ({ model, ...sum(within.filter((day) => day.model === model)) }),
  );
  return {
    since: since.toISOString(),
    ...sum(within),
    by_model: byModel.sort((a, b) => b.signals - a.signals || a.model.localeCompare(b.model)),
  };
}

function sum(days: readonly DayUsage[]): Omit<ModelUsage, "model"> {
  const total = (read: (day: DayUsage) => number) => days.reduce((sum, day) => sum + read(day), 0);
  const signals = total((day) => day.signals);
  const pricedSignals = total((day) => day.pricedSignals);
  return {
    signals,
    prompt_tokens: total((day) => day.promptTokens),
    completion_tokens: total((day) => day.completionTokens),
    cost_usd: pricedSignals === 0 ? null : total((day) => day.costUsd),
    unpriced_signals: signals - pricedSignals,
  };
}
