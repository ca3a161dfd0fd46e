import type { MarketAnalysisRecord } from "@shared/node/models/market-analysis.ts";
import { promptKey } from "../stage/ai-calls.ts";
import type { Stage } from "../stage/stage.ts";

type Attempted = Pick<
  MarketAnalysisRecord,
  "_id" | "symbol" | "timeframe" | "limit" | "revision" | "createdAt" | "finishedAt"
>;

/**
 * An attempt at an analysis calls the AI once at most. An analysis has another attempt only if a worker or the database was
 * interrupted meanwhile, and another call only if a worker was: after an interruption of the database alone, the second
 * attempt is one whose claim was committed without the worker getting the answer.
 */
export async function attemptsAskOnce({
  database,
  workers,
  mongo,
  aiCalls,
}: Stage): Promise<string[]> {
  const analyses: Attempted[] = await database.marketAnalyses
    .find()
    .select({ symbol: 1, timeframe: 1, limit: 1, revision: 1, createdAt: 1, finishedAt: 1 })
    .lean();
  const ofWorkers = Object.values(workers).flatMap(({ interruptedAt }) => interruptedAt);
  const ofAll = [...ofWorkers, ...mongo.members.flatMap(({ interruptedAt }) => interruptedAt)];
  const faults = analyses
    .filter((analysis) => analysis.revision > 1 + countDuring(analysis, ofAll))
    .map(({ _id, revision }) => `analysis ${_id} had ${revision} attempts`);
  const alike = new Map<string, Attempted[]>();
  for (const analysis of analyses) {
    const key = promptKey(analysis);
    alike.set(key, [...(alike.get(key) ?? []), analysis]);
  }
  for (const [key, group] of alike) {
    const calls = aiCalls.count(key);
    const attempts = sumOf(group, ({ revision }) => revision);
    const allowed = sumOf(group, (analysis) => 1 + countDuring(analysis, ofWorkers));
    if (calls > Math.min(attempts, allowed)) {
      const ids = group.map(({ _id }) => _id).join(", ");
      faults.push(
        `${calls} AI calls for ${ids} (${key}): ${attempts} attempts, ${allowed} allowed`,
      );
    }
  }
  return faults;
}

const countDuring = ({ createdAt, finishedAt }: Attempted, interruptions: readonly Date[]) =>
  interruptions.filter((at) => at >= createdAt && (!finishedAt || at <= finishedAt)).length;

const sumOf = <Item>(items: readonly Item[], value: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + value(item), 0);
