import { signalResponseSchema } from "@shared/contract/signal.ts";
import type { SignalRecord } from "@shared/node/models/signal.ts";
import { z } from "zod";
import { expectAnswer } from "../stage/api.ts";
import type { Stage } from "../stage/stage.ts";
import type { Asked, Trader } from "../stage/trader.ts";

const eventDataSchema = z.looseObject({ signal_id: z.string() });
const isEnd = (name: string) => name === "signal:completed" || name === "signal:failed";

/** Every signal is completed or failed, and was told of so exactly once, by the event that its state calls for. */
export async function signalsEndOnce({ database }: Stage): Promise<string[]> {
  const events = await database.events
    .find({ name: { $in: ["signal:queued", "signal:completed", "signal:failed"] } })
    .select({ name: 1, data: 1 })
    .lean();
  const told = new Map<string, string[]>();
  for (const { name, data } of events) {
    const { signal_id } = eventDataSchema.parse(data);
    told.set(signal_id, [...(told.get(signal_id) ?? []), name]);
  }
  const signals = await database.signals.find().select({ status: 1 }).lean();
  const stored = new Set(signals.map(({ _id }) => _id.toString()));
  return [
    ...signals.flatMap((signal) => faultsOf(signal, told.get(signal._id.toString()) ?? [])),
    ...[...told.keys()]
      .filter((id) => !stored.has(id))
      .map((id) => `events tell of ${id}, which is not stored`),
  ];
}

function faultsOf({ _id, status }: Pick<SignalRecord, "_id" | "status">, told: string[]): string[] {
  const ends = told.filter(isEnd);
  const queued = told.filter((name) => name === "signal:queued");
  if (status !== "completed" && status !== "failed") return [`signal ${_id} is still ${status}`];
  if (ends.length !== 1 || ends[0] !== `signal:${status}`) {
    return [`signal ${_id} is ${status}, and was told of as [${ends.join(", ")}]`];
  }
  return queued.length === 1 ? [] : [`signal ${_id} was queued ${queued.length} times`];
}

/**
 * Every request made at most one signal however often it was sent, every answer named that one, and there is no signal
 * that nobody asked for. REST tells the same of each as the database.
 */
export async function requestsMakeOneSignal(stage: Stage): Promise<string[]> {
  const faults = await Promise.all(stage.traders.map((trader) => faultsOfTrader(stage, trader)));
  return faults.flat();
}

async function faultsOfTrader(stage: Stage, trader: Trader): Promise<string[]> {
  const { database } = stage;
  const keys = await database.idempotencyKeys
    .find({ _id: { $regex: `^${trader.userId}:` } })
    .lean();
  const signalOf = new Map(
    keys.map(({ _id, signalId }) => [_id.split(":")[1], signalId.toString()]),
  );
  const signals = await database.signals.find({ userId: trader.userId }).lean();
  const asked = new Set(signalOf.values());
  const faults = [
    ...trader.asked.flatMap((one) => contradictions(one, signalOf.get(one.key))),
    ...signals
      .filter(({ _id }) => !asked.has(_id.toString()))
      .map(({ _id }) => `nobody asked for signal ${_id}`),
  ];
  if (signals.length !== asked.size) {
    faults.push(`${trader.username} has ${signals.length} signals for ${asked.size} requests`);
  }
  for (const { _id, status } of signals.slice(-REST_SAMPLE)) {
    const call = { via: stage.servers.b, path: `/signals/${_id}`, token: trader.token };
    const shown = await expectAnswer(call, signalResponseSchema);
    if (shown.status !== status) faults.push(`REST shows ${_id} as ${shown.status}, not ${status}`);
  }
  return faults;
}

/** Signals of one trader that are read over REST, the newest. */
const REST_SAMPLE = 10;

function contradictions({ key, replies }: Asked, stored: string | undefined): string[] {
  return replies.flatMap((reply) => {
    if (reply.kind === "lost") return [];
    if (reply.kind === "accepted") {
      return reply.signalId === stored
        ? []
        : [`${key} was answered with ${reply.signalId}, stored is ${stored}`];
    }
    return reply.status === 503 ? [] : [`${key} was answered ${reply.status} ${reply.code}`];
  });
}
