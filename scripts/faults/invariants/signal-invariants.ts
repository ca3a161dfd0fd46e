import { meSchema } from "@shared/contract/account.ts";
import { signalResponseSchema } from "@shared/contract/signal.ts";
import type { MarketAnalysisRecord } from "@shared/database/models/market-analysis.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import { expectAnswer } from "@shared/testing/call-api.ts";
import { z } from "zod";
import { type FaultHarness, promptKey } from "../harness/harness.ts";
import type { Asked, Trader } from "../harness/trader.ts";

export function findDifferences(expected: readonly string[], found: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const one of found) counts.set(one, (counts.get(one) ?? 0) + 1);
  for (const one of expected) counts.set(one, (counts.get(one) ?? 0) - 1);
  const differing = [...counts].filter(([, count]) => count !== 0);
  return differing.map(([one, count]) => `${count > 0 ? "unexpected" : "missing"}: ${one}`);
}

const eventDataSchema = z.looseObject({ signal_id: z.string() });

/** Every signal is completed or failed and has exactly the events `queued` and that of its status. */
export async function signalsEndOnce({ database }: FaultHarness): Promise<string[]> {
  const names = ["signal:queued", "signal:completed", "signal:failed"];
  const events = await database.events.find({ name: { $in: names } }).lean();
  const signals = await database.signals.find().select({ status: 1 }).lean();
  return findDifferences(
    signals.flatMap(({ _id, status }) => [`signal:queued ${_id}`, `signal:${status} ${_id}`]),
    events.map(({ name, data }) => `${name} ${eventDataSchema.parse(data).signal_id}`),
  );
}

/** However often it was sent, a request made at most one signal, which every answer named. REST shows the newest. */
export async function requestsMakeOneSignal(harness: FaultHarness): Promise<string[]> {
  const violations = harness.traders.map((trader) => findRequestViolations(harness, trader));
  return (await Promise.all(violations)).flat();
}

const REST_SAMPLE = 10;

async function findRequestViolations(
  { database, servers }: FaultHarness,
  { userId, asked, token }: Trader,
): Promise<string[]> {
  const keys = await database.idempotencyKeys.find({ _id: { $regex: `^${userId}:` } }).lean();
  const stored = new Set(keys.map(({ _id, signalId }) => `${_id.split(":")[1]} ${signalId}`));
  const signals = await database.signals.find({ userId }).lean();
  const violations = [
    ...asked.flatMap((one) => findWrongReplies(one, stored)),
    ...findDifferences(
      keys.map(({ signalId }) => `signal ${signalId} of one request`),
      signals.map(({ _id }) => `signal ${_id} of one request`),
    ),
  ];
  for (const { _id, status } of signals.slice(-REST_SAMPLE)) {
    const url = `${servers.b.url}/signals/${_id}`;
    const shown = await expectAnswer(signalResponseSchema, url, { token });
    if (shown.status !== status) violations.push(`REST shows ${status} ${_id} as ${shown.status}`);
  }
  return violations;
}

function findWrongReplies({ key, replies }: Asked, stored: ReadonlySet<string>): string[] {
  const wrong = replies.filter((reply) => {
    if (reply.kind === "accepted") return !stored.has(`${key} ${reply.signalId}`);
    return reply.kind === "refused" && reply.status !== 503;
  });
  return wrong.map((reply) => `${key} was answered with ${JSON.stringify(reply)}`);
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
    const calls = aiCalls.filter((call) => call === key).length;
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

/** A signal with an image has one spend entry, and one refund entry only if it has no analysis. */
export async function creditsAddUp(harness: FaultHarness): Promise<string[]> {
  const { database, traders, servers } = harness;
  const entries = await database.creditEntries.find().lean();
  const signals = await database.signals.find({ chartImageId: { $exists: true } }).lean();
  const violations = findDifferences(
    signals.flatMap(expectedEntries),
    entries.flatMap(({ signalId, kind, amount }) =>
      signalId ? [`${kind} ${amount} for ${signalId}`] : [],
    ),
  );
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

function expectedEntries({ _id, status, analysis }: SignalRecord): string[] {
  const isAnalysed = status === "completed" && analysis?.source.analyst !== "none";
  const spend = `spend -1 for ${_id}`;
  return isAnalysed ? [spend] : [spend, `refund 1 for ${_id}`];
}
