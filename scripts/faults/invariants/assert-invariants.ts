import { verifyLedger } from "@shared/contract/ledger-verifier.ts";
import { cleanUpFiles } from "@shared/files/clean-up-files.ts";
import { FILE_KINDS } from "@shared/files/file-store.ts";
import { openLedger } from "../../verify-ledger/open-sources.ts";
import type { FaultHarness } from "../harness/harness.ts";
import { UNFINISHED } from "../harness/signal-probes.ts";
import { until } from "../harness/until.ts";
import { logsHaveNoErrors, processesAreHealthy } from "./process-health.ts";
import {
  attemptsAskOnce,
  creditsAddUp,
  findDifferences,
  requestsMakeOneSignal,
  signalsEndOnce,
} from "./signal-invariants.ts";
import { socketsMissNothing, streamsHaveNoGaps } from "./stream-invariants.ts";

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
