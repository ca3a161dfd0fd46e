import type { Types } from "mongoose";
import { type FaultHarness, HARNESS_DATABASE, promptKey } from "./harness.ts";
import type { ServiceSlot } from "./service-slot.ts";
import type { SignalRequestOptions, Trader } from "./trader.ts";
import { until } from "./until.ts";

/** Where a fail point finds a collection. */
export const namespaceOf = (collection: string): string => `${HARNESS_DATABASE}.${collection}`;

/** The queue's collection. */
export const JOBS = "agendaJobs";

/** The worker that holds the job of this signal, or has just ended it; workers sign their locks with `<host>:<pid>:<random>`. */
export function holderOf(
  { database, workers }: FaultHarness,
  signalId: string,
): Promise<ServiceSlot> {
  return until(
    async () => {
      const signal = await database.signals.findById(signalId).lean();
      const job = await database.jobs.findById(signal?.analysisId).lean();
      const pid = String(job?.lastModifiedBy).split(":")[1];
      return Object.values(workers).find((worker) => String(worker.pid) === pid);
    },
    { what: "a worker that holds the signal" },
  );
}

/** Ids of the analyses that these signals refer to, which are those of the jobs too. */
export function analysisIdsOf(
  { database }: FaultHarness,
  signalIds: readonly string[],
): Promise<Types.ObjectId[]> {
  return database.signals.distinct("analysisId", { _id: { $in: [...signalIds] } });
}

/** Ids of the signals whose jobs a worker has locked, among these; in the order of the ids. */
export async function signalsHeldBy(
  { database }: FaultHarness,
  worker: ServiceSlot,
  signalIds: readonly string[],
): Promise<string[]> {
  const signals = await database.signals
    .find({ _id: { $in: [...signalIds] } })
    .sort({ _id: 1 })
    .lean();
  const jobs = await database.jobs
    .find({ _id: { $in: signals.map(({ analysisId }) => analysisId) } })
    .lean();
  const held = jobs.filter(
    ({ lastModifiedBy }) => lastModifiedBy?.split(":")[1] === String(worker.pid),
  );
  return signals
    .filter(({ analysisId }) => held.some(({ _id }) => _id.equals(analysisId)))
    .map(({ _id }) => _id.toString());
}

/** Asks for signals, and resolves with their ids once all are accepted. */
export async function askForMany(
  stage: FaultHarness,
  trader: Trader,
  wishes: readonly SignalRequestOptions[],
): Promise<string[]> {
  const asked = await Promise.all(wishes.map((wish) => trader.ask(stage.servers.a, wish)));
  return asked.map(({ key, replies }) => {
    const [reply] = replies;
    if (reply?.kind !== "accepted") throw new Error(`${key}: ${JSON.stringify(reply)}`);
    return reply.signalId;
  });
}

/** How a signal stands, its attempts, and the AI calls for it. */
export interface SignalCount {
  status: string;
  attempts: number;
  aiCalls: number;
}

/** The counts of these signals, in no particular order. */
export async function countsOf(
  { database, aiCalls }: FaultHarness,
  signalIds: readonly string[],
): Promise<SignalCount[]> {
  const signals = await database.signals.find({ _id: { $in: [...signalIds] } }).lean();
  return signals.map((signal) => ({
    status: signal.status,
    attempts: signal.revision,
    aiCalls: aiCalls.count(promptKey(signal)),
  }));
}

/** Waits until these signals are completed or failed. */
export async function untilEnded(
  { database }: FaultHarness,
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
