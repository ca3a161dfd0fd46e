import { until } from "../until.ts";
import type { PartSlot } from "./part-slot.ts";
import { STAGE_DATABASE, type Stage } from "./stage.ts";

/** Where a fail point finds a collection. */
export const namespaceOf = (collection: string): string => `${STAGE_DATABASE}.${collection}`;

/** The queue's collection. */
export const JOBS = "agendaJobs";

/** The worker that holds the job of this signal, or has just ended it; workers sign their locks with `<host>:<pid>:<random>`. */
export function holderOf({ database, workers }: Stage, signalId: string): Promise<PartSlot> {
  return until(
    async () => {
      const job = await database.connection.collection(JOBS).findOne({ "data.signalId": signalId });
      const pid = String(job?.lastModifiedBy).split(":")[1];
      return Object.values(workers).find((worker) => String(worker.pid) === pid);
    },
    { what: "a worker that holds the signal" },
  );
}

/** Waits until these signals are completed or failed. */
export async function untilEnded(
  { database }: Stage,
  signalIds: readonly string[],
  withinMs = 90_000,
): Promise<void> {
  await until(
    async () => {
      const left = await database.signals.countDocuments({
        _id: { $in: [...signalIds] },
        status: { $in: ["queued", "running"] },
      });
      return left === 0;
    },
    { what: "signals to end", withinMs },
  );
}

/** Whether a request to the exchange asks for the candles of this market. */
export const isForCandlesOf =
  ({ symbol, timeframe }: { symbol: string; timeframe: string }) =>
  (url: string): boolean => {
    const { searchParams } = new URL(url, "http://exchange");
    const market = symbol.replace("/", "");
    return searchParams.get("symbol") === market && searchParams.get("interval") === timeframe;
  };
