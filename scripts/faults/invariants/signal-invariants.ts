import { meSchema } from "@shared/contract/account.ts";
import { signalResponseSchema } from "@shared/contract/signal.ts";
import type { MarketAnalysisRecord } from "@shared/database/models/market-analysis.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import type { CreditEntryRecord } from "@shared/database/models/user.ts";
import { z } from "zod";
import { expectAnswer } from "../harness/api.ts";
import { type FaultHarness, promptKey } from "../harness/harness.ts";
import type { Asked, Trader } from "../harness/trader.ts";

const eventDataSchema = z.looseObject({ signal_id: z.string() });
const isEnd = (name: string) => name === "signal:completed" || name === "signal:failed";

/** Every signal is completed or failed, and was told of so exactly once, by the event that its state calls for. */
export async function signalsEndOnce({ database }: FaultHarness): Promise<string[]> {
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
export async function requestsMakeOneSignal(stage: FaultHarness): Promise<string[]> {
  const faults = await Promise.all(stage.traders.map((trader) => faultsOfTrader(stage, trader)));
  return faults.flat();
}

async function faultsOfTrader(stage: FaultHarness, trader: Trader): Promise<string[]> {
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
}: FaultHarness): Promise<string[]> {
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

/**
 * The ledger of credits adds up to every balance, as stored and as REST tells it; every signal with a picture was paid
 * for once, and paid back once if no analysis came of it, else never.
 */
export async function creditsAddUp(stage: FaultHarness): Promise<string[]> {
  const entries = await stage.database.creditEntries.find().lean();
  const signals = await stage.database.signals.find({ chartImageId: { $exists: true } }).lean();
  const known = new Set(signals.map(({ _id }) => _id.toString()));
  return [
    ...(await balanceFaults(stage, entries)),
    ...signals.flatMap((signal) => paymentFaults(signal, entries)),
    ...entries
      .filter(({ signalId }) => signalId && !known.has(signalId.toString()))
      .map(({ signalId, kind }) => `a ${kind} for ${signalId}, which is no signal with a picture`),
  ];
}

async function balanceFaults(
  { database, traders, servers }: FaultHarness,
  entries: readonly CreditEntryRecord[],
): Promise<string[]> {
  const users = await database.users.find().lean();
  const faults: string[] = [];
  for (const { _id, username, imageCredits } of users) {
    const own = entries.filter(({ userId }) => userId.equals(_id));
    const sum = own.reduce((total, { amount }) => total + amount, 0);
    if (sum !== imageCredits)
      faults.push(`${username} has ${imageCredits} credits, the ledger ${sum}`);
    const trader = traders.find((one) => one.username === username);
    if (!trader) continue;
    const call = { via: servers.a, path: "/me", token: trader.token };
    const shown = (await expectAnswer(call, meSchema)).image_credits;
    if (shown !== imageCredits)
      faults.push(`REST shows ${shown} credits of ${username}, not ${imageCredits}`);
  }
  return faults;
}

function paymentFaults(signal: SignalRecord, entries: readonly CreditEntryRecord[]): string[] {
  const own = entries.filter(({ signalId }) => signalId?.equals(signal._id));
  const sumOf = (kind: string) =>
    own.filter((entry) => entry.kind === kind).map(({ amount }) => amount);
  const isAnalysed = signal.status === "completed" && signal.analysis?.source.analyst !== "none";
  const expected = isAnalysed ? "-1 / " : "-1 / 1";
  const found = `${sumOf("spend").join("+")} / ${sumOf("refund").join("+")}`;
  return found === expected
    ? []
    : [`signal ${signal._id} (${signal.status}) was paid and paid back ${found}, not ${expected}`];
}
