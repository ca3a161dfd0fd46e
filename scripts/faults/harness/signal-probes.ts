import type { Types } from "mongoose";
import { type FaultHarness, promptKey } from "./harness.ts";
import type { ServiceSlot } from "./service-slot.ts";
import type { SignalRequestOptions, Trader } from "./trader.ts";
import { until } from "./until.ts";

export const JOBS = "agendaJobs";

export const UNFINISHED = { status: { $nin: ["completed", "failed"] } } as const;

/** Workers sign their locks with `<host>:<pid>:<random>`. */
export const isLockOf = (lock: string | null | undefined, { pid }: ServiceSlot): boolean =>
  lock?.split(":")[1] === String(pid);

export function analysisIdsOf(
  { database }: FaultHarness,
  signalIds: readonly string[],
): Promise<Types.ObjectId[]> {
  return database.signals.distinct("analysisId", { _id: { $in: [...signalIds] } });
}

/** Sorted ids of those of these signals whose jobs a worker has locked. */
export async function signalsHeldBy(
  harness: FaultHarness,
  worker: ServiceSlot,
  signalIds: readonly string[],
): Promise<string[]> {
  const { jobs, signals } = harness.database;
  const all = await jobs.find({ _id: { $in: await analysisIdsOf(harness, signalIds) } }).lean();
  const locked = all.filter(({ lastModifiedBy }) => isLockOf(lastModifiedBy, worker));
  const analysisId = { $in: locked.map(({ _id }) => _id) };
  const held = await signals.distinct("_id", { _id: { $in: [...signalIds] }, analysisId });
  return held.map(String).sort();
}

/** Requests signals; resolves with their ids once all are accepted. */
export async function askForMany(
  { servers }: FaultHarness,
  trader: Trader,
  requests: readonly SignalRequestOptions[],
): Promise<string[]> {
  const asked = await Promise.all(requests.map((request) => trader.ask(servers.a, request)));
  return asked.map(({ key, replies }) => {
    const [reply] = replies;
    if (reply?.kind !== "accepted") throw new Error(`${key}: ${JSON.stringify(reply)}`);
    return reply.signalId;
  });
}

export async function countsOf(
  { database, aiCalls }: FaultHarness,
  signalIds: readonly string[],
): Promise<{ status: string; attempts: number; aiCalls: number }[]> {
  const signals = await database.signals.find({ _id: { $in: [...signalIds] } }).lean();
  return signals.map((signal) => ({
    status: signal.status,
    attempts: signal.revision,
    aiCalls: aiCalls.filter((call) => call === promptKey(signal)).length,
  }));
}

export async function untilEnded(
  { database }: FaultHarness,
  signalIds: readonly string[],
  withinMs = 90_000,
): Promise<void> {
  const unfinished = { _id: { $in: [...signalIds] }, ...UNFINISHED };
  await until(async () => (await database.signals.countDocuments(unfinished)) === 0, {
    what: "signals to end",
    withinMs,
  });
}
