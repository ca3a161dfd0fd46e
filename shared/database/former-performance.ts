import { type Database, nativeDb } from "./database.ts";

/** The collections and states of earlier versions: whose series had no model; that did not count what WAITs rejected. */
export const FORMER_PERFORMANCE = [
  { days: "performance_days", stateId: "performance" },
  { days: "performance_days_by_model", stateId: "performance-by-model" },
] as const;

/** Call it once the figures of this version are complete: a worker of an earlier version then computes its own from the start. */
export async function deleteFormerPerformance(database: Database): Promise<void> {
  for (const { days, stateId } of FORMER_PERFORMANCE) {
    await database.performanceStates.deleteOne({ _id: stateId });
    await nativeDb(database.connection).collection(days).deleteMany({});
  }
}
