import { meSchema } from "@shared/contract/account.ts";
import { systemHealthSchema } from "@shared/contract/admin.ts";
import { verifyLedger } from "@shared/contract/ledger-verifier.ts";
import { signalResponseSchema } from "@shared/contract/signal.ts";
import type { Database } from "@shared/database/database.ts";
import { FILE_KINDS } from "@shared/database/file-bytes.ts";
import type { MarketAnalysisRecord } from "@shared/database/models/market-analysis.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import { cleanUpFiles } from "@shared/domain/file-store.ts";
import { eventsOf } from "@shared/outbox/event-log.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { callApi, expectAnswer } from "@shared/testing/call-api.ts";
import { stillRunning } from "@shared/testing/spawn-service.ts";
import { z } from "zod";
import { openLedger } from "../../verify-ledger/run-verify-ledger.ts";
import { type FaultHarness, IMAGE_KEY, isLockOf, promptKey, UNFINISHED } from "./harness.ts";
import type { ServiceSlot } from "./processes.ts";
import type { Asked, Trader } from "./trader.ts";
import { until } from "./until.ts";

const PUSH_TIMEOUT_MS = 30_000;

/** Events are added all the time, so they are compared with the heads before and after they were read. */
async function streamsHaveNoGaps({ database }: FaultHarness): Promise<string[]> {
  const before = await readHeads(database);
  const stored = await database.events.find().lean();
  const events = stored
    .flatMap(eventsOf)
    .toSorted((one, other) => (one.seq ?? 0) - (other.seq ?? 0));
  const after = await readHeads(database);
  const lastOf = new Map<string, number>();
  const violations: string[] = [];
  for (const { stream, seq } of events) {
    if (seq === undefined) continue;
    const last = lastOf.get(stream) ?? 0;
    if (seq !== last + 1) violations.push(`${stream}: ${seq} follows ${last}`);
    lastOf.set(stream, seq);
  }
  for (const stream of new Set([...lastOf.keys(), ...after.keys()])) {
    const [least = 0, last = 0, most = 0] = [before, lastOf, after].map((map) => map.get(stream));
    if (least <= last && last <= most) continue;
    violations.push(`${stream} ends with ${last}, its head went from ${least} to ${most}`);
  }
  return violations;
}

async function readHeads(database: Database): Promise<Map<string, number>> {
  const users = await database.users.find().select({ lastEventSeq: 1 }).lean();
  const heads = await database.streamHeads.find().lean();
  return new Map([
    ...users.map((user) => [userStream(user._id), user.lastEventSeq] as const),
    ...heads.map(({ _id, seq }) => [_id, seq] as const),
  ]);
}

/** Every open socket received each number of its trader's stream once, in order, up to the last one. */
async function socketsMissNothing(harness: FaultHarness): Promise<string[]> {
  const traders = harness.traders.filter(({ sockets }) => sockets.length > 0);
  const violations = traders.map(async ({ username, userId, sockets }) => {
    const user = await harness.database.users.findById(userId).orFail().lean();
    const last = user.lastEventSeq;
    const wait = { what: `event ${last} on a socket of ${username}`, withinMs: PUSH_TIMEOUT_MS };
    const checks = sockets.map(async (socket) => {
      await until(() => (socket.seqs("user").at(-1) ?? 0) >= last, wait);
      const seqs = socket.seqs("user");
      const isComplete = seqs.every((seq, index) => seq === index + 1);
      return isComplete ? [] : [`a socket of ${username} received ${seqs}`];
    });
    return (await Promise.all(checks)).flat();
  });
  return (await Promise.all(violations)).flat();
}

function findDifferences(expected: readonly string[], found: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const one of found) counts.set(one, (counts.get(one) ?? 0) + 1);
  for (const one of expected) counts.set(one, (counts.get(one) ?? 0) - 1);
  const differing = [...counts].filter(([, count]) => count !== 0);
  return differing.map(([one, count]) => `${count > 0 ? "unexpected" : "missing"}: ${one}`);
}

const eventDataSchema = z.looseObject({ signal_id: z.string() });

/** Every signal is completed or failed and has exactly the events `queued` and that of its status; one for a watcher only the latter. */
async function signalsEndOnce({ database }: FaultHarness): Promise<string[]> {
  const names = ["signal:queued", "signal:completed", "signal:failed"];
  const stored = await database.events.find({ name: { $in: names } }).lean();
  const signals = await database.signals.find().select({ status: 1, origin: 1 }).lean();
  return findDifferences(
    signals.flatMap(({ _id, status, origin }) => [
      ...(origin === "request" ? [`signal:queued ${_id}`] : []),
      `signal:${status} ${_id}`,
    ]),
    stored
      .flatMap(eventsOf)
      .map(({ name, data }) => `${name} ${eventDataSchema.parse(data).signal_id}`),
  );
}

/** However often it was sent, a request made at most one signal, which every answer named. REST shows the newest. */
async function requestsMakeOneSignal(harness: FaultHarness): Promise<string[]> {
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
  const signals = await database.signals.find({ userId, origin: "request" }).lean();
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
 * An attempt at an analysis asks the AI at most once, and at most once more for a chart image. There is another attempt only if a worker or the database was
 * interrupted meanwhile, and another call only if a worker was: after an interruption of the database alone, the second
 * attempt is one whose claim was committed while the reply was lost.
 */
async function attemptsAskOnce(harness: FaultHarness): Promise<string[]> {
  const { database, workers, mongo, aiCalls } = harness;
  const analyses = await database.marketAnalyses.find().lean();
  const ofWorkers = Object.values(workers).flatMap(({ interruptedAt }) => interruptedAt);
  const ofAll = [...ofWorkers, ...mongo.members.flatMap(({ interruptedAt }) => interruptedAt)];
  const violations = analyses
    .filter((analysis) => analysis.revision > 1 + countDuring(analysis, ofAll))
    .map(({ _id, revision }) => `analysis ${_id} had ${revision} attempts`);
  const limits = new Map<string, { attempts: number; allowed: number }>();
  for (const analysis of analyses) {
    for (const key of [promptKey(analysis), ...(analysis.chartImageId ? [IMAGE_KEY] : [])]) {
      const { attempts, allowed } = limits.get(key) ?? { attempts: 0, allowed: 0 };
      limits.set(key, {
        attempts: attempts + analysis.revision,
        allowed: allowed + 1 + countDuring(analysis, ofWorkers),
      });
    }
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
async function creditsAddUp(harness: FaultHarness): Promise<string[]> {
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

/** A worker reports every 10 s. */
const FRESH_MS = 15_000;
const HEALTHY_WITHIN_MS = 30_000;

/** Servers are ready and receive events, workers report, and no process exited by itself. */
async function processesAreHealthy(harness: FaultHarness): Promise<string[]> {
  const violations = harness.services.flatMap(({ name, pid }) =>
    stillRunning([pid]).length > 0 ? [] : [`${name} has exited by itself`],
  );
  for (const server of Object.values(harness.servers)) {
    await until(() => isHealthy(harness, server), {
      what: "good health",
      withinMs: HEALTHY_WITHIN_MS,
    }).catch((error: unknown) => violations.push(`${server.name}: ${error}`));
  }
  return violations;
}

async function isHealthy(
  { administrator, workers }: FaultHarness,
  { url }: ServiceSlot,
): Promise<boolean> {
  for (const path of ["/healthz", "/readyz"]) {
    if ((await callApi(url + path)).status !== 200) return false;
  }
  const { token } = administrator;
  const health = await expectAnswer(systemHealthSchema, `${url}/admin/health`, { token });
  const seen = health.workers.filter(({ seen_at }) => Date.now() - Date.parse(seen_at) < FRESH_MS);
  const areSeen = Object.values(workers).every((worker) =>
    seen.some(({ id }) => isLockOf(id, worker)),
  );
  const { waiting, running } = health.queue;
  return areSeen && health.server.event_feed === "running" && waiting + running === 0;
}

const ERROR_LEVEL = 50;
const MAX_SHOWN_CHARACTERS = 300;

const lineSchema = z.looseObject({
  level: z.number(),
  requestId: z.string().optional(),
  msg: z.string().default(""),
});

/** Logs have no errors besides requests answered with 503, and only log entries: an unhandled rejection is none. */
function logsHaveNoErrors({ services }: FaultHarness): string[] {
  return services.flatMap(({ name, lines }) => {
    const unavailable = lines.filter((line) => line.includes('"status":503'));
    const refused = new Set(unavailable.map((line) => parseLine(line)?.requestId));
    return lines.flatMap((line) => {
      const entry = parseLine(line);
      const isFine = entry && (entry.level < ERROR_LEVEL || refused.has(entry.requestId ?? line));
      // The message is at the end of a line, after the error with its stack.
      const shown = `${entry?.msg} ${line.slice(0, MAX_SHOWN_CHARACTERS)}`;
      return isFine ? [] : [`${name} logged: ${shown}`];
    });
  });
}

const parseLine = (line: string) =>
  line.startsWith("{") ? lineSchema.parse(JSON.parse(line)) : undefined;

/** The product promises 90 s after a worker was killed. */
const IDLE_TIMEOUT_MS = 100_000;

const INVARIANTS: ((harness: FaultHarness) => string[] | Promise<string[]>)[] = [
  signalsEndOnce,
  attemptsAskOnce,
  requestsMakeOneSignal,
  creditsAddUp,
  filesHaveOwners,
  streamsHaveNoGaps,
  socketsMissNothing,
  ledgerVerifies,
  processesAreHealthy,
  logsHaveNoErrors,
];

const MAX_SHOWN = 30;

/** Checks what must be true after any fault, once all accepted signals have ended. */
export async function assertInvariants(harness: FaultHarness): Promise<void> {
  const { signals, jobs } = harness.database;
  const countOpen = async () =>
    (await signals.countDocuments(UNFINISHED)) +
    (await jobs.countDocuments({ name: "generate-signal" }));
  await until(async () => (await countOpen()) === 0, {
    what: "every signal to end and the queue to be empty",
    withinMs: IDLE_TIMEOUT_MS,
  });
  const violations: string[] = [];
  for (const check of INVARIANTS) violations.push(...(await check(harness)));
  if (violations.length === 0) return;
  throw new Error(`invariants are violated:\n${violations.slice(0, MAX_SHOWN).join("\n")}`);
}

async function ledgerVerifies({ database, servers }: FaultHarness): Promise<string[]> {
  const { marketAnalyses } = database;
  const completed = await marketAnalyses.countDocuments({ status: "completed" });
  const recorded = { ledgerSeq: { $exists: true } };
  await until(async () => (await marketAnalyses.countDocuments(recorded)) >= completed, {
    what: "completed analyses to be in the ledger",
  });
  const report = await verifyLedger(await openLedger(servers.a.url, AbortSignal.timeout(30_000)));
  if (report.fault) return [`the public ledger: ${JSON.stringify(report.fault)}`];
  const { live } = report.tally.analyses;
  return live === completed ? [] : [`the public ledger has ${live} of ${completed} analyses`];
}

/** The nightly cleanup keeps bytes that are younger than an hour. */
const LATER_MS = 2 * 3_600_000;

/** Bytes without a document, which a crash during an upload leaves, are deleted by the nightly cleanup. */
async function filesHaveOwners({ database }: FaultHarness): Promise<string[]> {
  await cleanUpFiles({ database, now: () => new Date(Date.now() + LATER_MS) });
  const signals = await database.signals.distinct("_id");
  const orphans = await database.chartImages.find({ signalId: { $nin: signals } }).lean();
  const violations = orphans.map(({ filename }) => `the chart image ${filename} has no signal`);
  for (const kind of FILE_KINDS) {
    const idsIn = async (collection: string, key = "_id") =>
      (await database.connection.collection(collection).distinct(key)).map((id) => `${kind} ${id}`);
    const owners = await idsIn(kind === "chart_uploads" ? "chart_images" : "payment_proofs");
    violations.push(...findDifferences(owners, await idsIn(`${kind}.files`)));
    violations.push(...findDifferences(owners, await idsIn(`${kind}.chunks`, "files_id")));
  }
  return violations;
}
