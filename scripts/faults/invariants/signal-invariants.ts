import { meSchema } from "@shared/contract/account.ts";
import { signalResponseSchema } from "@shared/contract/signal.ts";
import type { MarketAnalysisRecord } from "@shared/database/models/market-analysis.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import type { CreditEntryRecord } from "@shared/database/models/user.ts";
import { expectAnswer } from "@shared/testing/call-api.ts";
import { z } from "zod";
import { type FaultHarness, promptKey } from "../harness/harness.ts";
import type { Asked, Trader } from "../harness/trader.ts";

const eventDataSchema = z.looseObject({ signal_id: z.string() });

/** Every signal is completed or failed and has exactly the events `queued` and that of its status. */
export async function signalsEndOnce({ database }: FaultHarness): Promise<string[]> {
  const names = ["signal:queued", "signal:completed", "signal:failed"];
  const events = await database.events.find({ name: { $in: names } }).lean();
  const namesOf = new Map<string, string[]>();
  for (const { name, data } of events) {
    const { signal_id } = eventDataSchema.parse(data);
    namesOf.set(signal_id, [...(namesOf.get(signal_id) ?? []), name]);
  }
  const violations: string[] = [];
  for (const { _id, status } of await database.signals.find().select({ status: 1 }).lean()) {
    const found = namesOf.get(_id.toString())?.toSorted().join();
    namesOf.delete(_id.toString());
    const hasEnded = status === "completed" || status === "failed";
    const expected = [`signal:${status}`, "signal:queued"].toSorted().join();
    if (!hasEnded || found !== expected)
      violations.push(`signal ${_id} is ${status}, with ${found}`);
  }
  return [
    ...violations,
    ...[...namesOf.keys()].map((id) => `events of ${id}, which is not stored`),
  ];
}

/**
 * Every request made at most one signal, however often it was sent, every answer named that one, and every signal has a
 * request. REST shows the newest as the database has them.
 */
export async function requestsMakeOneSignal(harness: FaultHarness): Promise<string[]> {
  const violations = harness.traders.map((trader) => findRequestViolations(harness, trader));
  return (await Promise.all(violations)).flat();
}

const REST_SAMPLE = 10;

async function findRequestViolations(
  { database, servers }: FaultHarness,
  { userId, username, asked, token }: Trader,
): Promise<string[]> {
  const keys = await database.idempotencyKeys.find({ _id: { $regex: `^${userId}:` } }).lean();
  const signalOf = new Map(
    keys.map(({ _id, signalId }) => [_id.split(":")[1], signalId.toString()]),
  );
  const signals = await database.signals.find({ userId }).lean();
  const requested = new Set(signalOf.values());
  const violations = [
    ...asked.flatMap((request) => findContradictions(request, signalOf.get(request.key))),
    ...signals
      .filter(({ _id }) => !requested.has(_id.toString()))
      .map(({ _id }) => `signal ${_id} has no request`),
  ];
  if (signals.length !== requested.size) {
    violations.push(`${username} has ${signals.length} signals for ${requested.size} requests`);
  }
  for (const { _id, status } of signals.slice(-REST_SAMPLE)) {
    const url = `${servers.b.url}/signals/${_id}`;
    const shown = await expectAnswer(signalResponseSchema, url, { token });
    if (shown.status !== status)
      violations.push(`REST shows ${_id} as ${shown.status}, not ${status}`);
  }
  return violations;
}

function findContradictions({ key, replies }: Asked, stored: string | undefined): string[] {
  return replies.flatMap((reply) => {
    if (reply.kind === "accepted" && reply.signalId !== stored) {
      return [`${key} was answered with ${reply.signalId}, stored is ${stored}`];
    }
    const isUnexpected = reply.kind === "refused" && reply.status !== 503;
    return isUnexpected ? [`${key} was answered ${reply.status} ${reply.code}`] : [];
  });
}

/**
 * An attempt at an analysis calls the AI at most once. There is another attempt only if a worker or the database was
 * interrupted meanwhile, and another call only if a worker was: after an interruption of the database alone, the second
 * attempt is one whose claim was committed while the reply was lost.
 */
export async function attemptsAskOnce(harness: FaultHarness): Promise<string[]> {
  const { database, workers, mongo, aiCalls } = harness;
  const analyses = await database.marketAnalyses.find().lean();
  const ofWorkers = Object.values(workers).flatMap(({ interruptedAt }) => interruptedAt);
  const ofAll = [...ofWorkers, ...mongo.members.flatMap(({ interruptedAt }) => interruptedAt)];
  const violations = analyses
    .filter((analysis) => analysis.revision > 1 + countDuring(analysis, ofAll))
    .map(({ _id, revision }) => `analysis ${_id} had ${revision} attempts`);
  const limits = new Map<string, { attempts: number; allowed: number }>();
  for (const analysis of analyses) {
    const { attempts, allowed } = limits.get(promptKey(analysis)) ?? { attempts: 0, allowed: 0 };
    limits.set(promptKey(analysis), {
      attempts: attempts + analysis.revision,
      allowed: allowed + 1 + countDuring(analysis, ofWorkers),
    });
  }
  for (const [key, { attempts, allowed }] of limits) {
    const calls = aiCalls.count(key);
    if (calls <= Math.min(attempts, allowed)) continue;
    violations.push(`${calls} AI calls for ${key}: ${attempts} attempts, ${allowed} allowed`);
  }
  return violations;
}

const countDuring = (
  { createdAt, finishedAt }: MarketAnalysisRecord,
  interruptions: readonly Date[],
): number =>
  interruptions.filter((at) => at >= createdAt && (!finishedAt || at <= finishedAt)).length;

/**
 * The credit entries add up to every balance, as stored and as shown by REST. Every signal with an image has one spend entry,
 * and one refund entry only if it has no analysis.
 */
export async function creditsAddUp(harness: FaultHarness): Promise<string[]> {
  const { database } = harness;
  const entries = await database.creditEntries.find().lean();
  const signals = await database.signals.find({ chartImageId: { $exists: true } }).lean();
  const known = new Set(signals.map(({ _id }) => _id.toString()));
  return [
    ...(await findBalanceViolations(harness, entries)),
    ...signals.flatMap((signal) => findPaymentViolations(signal, entries)),
    ...entries
      .filter(({ signalId }) => signalId && !known.has(signalId.toString()))
      .map(({ signalId, kind }) => `a ${kind} for ${signalId}, which is no signal with an image`),
  ];
}

async function findBalanceViolations(
  { database, traders, servers }: FaultHarness,
  entries: readonly CreditEntryRecord[],
): Promise<string[]> {
  const violations: string[] = [];
  for (const { _id, username, imageCredits } of await database.users.find().lean()) {
    const own = entries.filter(({ userId }) => userId.equals(_id));
    const sum = own.reduce((total, { amount }) => total + amount, 0);
    const token = traders.find((trader) => trader.username === username)?.token;
    const me = token && (await expectAnswer(meSchema, `${servers.a.url}/me`, { token }));
    const shown = me ? me.image_credits : imageCredits;
    if (sum === imageCredits && shown === imageCredits) continue;
    violations.push(
      `${username} has ${imageCredits} credits, entries of ${sum}, REST shows ${shown}`,
    );
  }
  return violations;
}

function findPaymentViolations(
  signal: SignalRecord,
  entries: readonly CreditEntryRecord[],
): string[] {
  const own = entries.filter(({ signalId }) => signalId?.equals(signal._id));
  const amounts = own.map(({ kind, amount }) => `${kind} ${amount}`).toSorted();
  const isAnalysed = signal.status === "completed" && signal.analysis?.source.analyst !== "none";
  const expected = isAnalysed ? ["spend -1"] : ["refund 1", "spend -1"];
  if (amounts.join() === expected.join()) return [];
  return [`signal ${signal._id} (${signal.status}) has ${amounts}, not ${expected}`];
}
