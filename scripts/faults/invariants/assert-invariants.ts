import { verifyLedger } from "@shared/contract/ledger-verifier.ts";
import { cleanUpFiles } from "@shared/files/clean-up-files.ts";
import { FILE_KINDS } from "@shared/files/file-store.ts";
import { openLedger } from "../../verify-ledger/open-sources.ts";
import type { FaultHarness } from "../harness/harness.ts";
import { untilIdle } from "../harness/signal-probes.ts";
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

/**
 * Checks what must be true after any fault, once all accepted signals have ended.
 * @throws Error that names all violations
 */
export async function assertInvariants(harness: FaultHarness): Promise<void> {
  await untilIdle(harness, IDLE_TIMEOUT_MS);
  const violations: string[] = [];
  for (const check of INVARIANTS) violations.push(...(await check(harness)));
  if (violations.length === 0) return;
  throw new Error(`invariants are violated:\n${violations.slice(0, MAX_SHOWN).join("\n")}`);
}

/** The public ledger is intact and holds every completed analysis. */
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

/**
 * Every image has its bytes and its signal. Bytes without a document, which a crash in the middle of an upload leaves, are
 * deleted by the product's own cleanup, run as if two hours had passed.
 */
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
