import { type Database, nativeDb } from "./database.ts";

/** The collections and states of earlier versions: whose series had no model; that did not count what WAITs rejected. */
export const FORMER_PERFORMANCE = [
  { days: "performance_days", stateId: "performance" },
  { days: "performance_days_by_model", stateId: "performance-by-model" },
] as const;

/** Once those of this version are complete. A worker of the earlier version would make them again from the beginning. */
export async function deleteFormerPerformance({
  connection,
  performanceStates,
}: Pick<Database, "connection" | "performanceStates">): Promise<void> {
  for (const { days, stateId } of FORMER_PERFORMANCE) {
    await performanceStates.deleteOne({ _id: stateId });
    await nativeDb(connection).collection(days).deleteMany({});
  }
}
