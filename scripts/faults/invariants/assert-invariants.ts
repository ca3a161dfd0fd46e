import { verifyLedger } from "@shared/contract/ledger-verifier.ts";
import { cleanUpFiles } from "@shared/files/clean-up-files.ts";
import { FILE_KINDS, type FileKind } from "@shared/files/file-store.ts";
import { openLedger } from "../../verify-ledger/open-sources.ts";
import type { FaultHarness } from "../harness/harness.ts";
import { JOBS } from "../harness/signal-probes.ts";
import { until } from "../harness/until.ts";
import { logsHaveNoErrors, processesAreHealthy } from "./process-health.ts";
import {
  attemptsAskOnce,
  creditsAddUp,
  requestsMakeOneSignal,
  signalsEndOnce,
} from "./signal-invariants.ts";
import { socketsMissNothing, streamsHaveNoGaps } from "./stream-invariants.ts";

/** The longest that anything accepted may take: the product promises 90 s from a worker's death. */
const QUIET_WITHIN_MS = 100_000;

/**
 * Holds the whole product to what must be true whatever died, once all that was accepted has ended.
 * @throws Error naming everything that is not as it should be
 */
export async function assertInvariants(stage: FaultHarness): Promise<void> {
  await untilQuiet(stage);
  const faults = [
    ...(await signalsEndOnce(stage)),
    ...(await attemptsAskOnce(stage)),
    ...(await requestsMakeOneSignal(stage)),
    ...(await creditsAddUp(stage)),
    ...(await filesHaveOwners(stage)),
    ...(await streamsHaveNoGaps(stage)),
    ...(await socketsMissNothing(stage)),
    ...(await ledgerVerifies(stage)),
    ...(await processesAreHealthy(stage)),
    ...logsHaveNoErrors(stage),
  ];
  if (faults.length > 0) throw new Error(`not sound:\n${faults.slice(0, MOST_SHOWN).join("\n")}`);
}

const MOST_SHOWN = 30;

/** No signal is unfinished, and no job for one is left. */
async function untilQuiet({ database }: FaultHarness): Promise<void> {
  await until(
    async () => {
      const signals = await database.signals.countDocuments({
        status: { $in: ["queued", "running"] },
      });
      const jobs = await database.connection
        .collection(JOBS)
        .countDocuments({ name: "generate-signal" });
      return signals + jobs === 0;
    },
    { what: "every signal to end and the queue to be empty", withinMs: QUIET_WITHIN_MS },
  );
}

/** The public ledger, downloaded as anybody may, is intact and holds every completed analysis. */
async function ledgerVerifies({ database, servers }: FaultHarness): Promise<string[]> {
  const { marketAnalyses } = database;
  const completed = await marketAnalyses.countDocuments({ status: "completed" });
  await until(
    async () =>
      (await marketAnalyses.countDocuments({ ledgerSeq: { $exists: true } })) >= completed,
    { what: "completed analyses to be in the ledger" },
  );
  const report = await verifyLedger(await openLedger(servers.a.url, AbortSignal.timeout(30_000)));
  if (report.fault) return [`the public ledger: ${JSON.stringify(report.fault)}`];
  const { live } = report.tally.analyses;
  return live === completed ? [] : [`the public ledger has ${live} of ${completed} analyses`];
}

/** The nightly cleanup leaves bytes alone that are younger than an hour. */
const LATER_MS = 2 * 3_600_000;

/**
 * Every picture that a document tells of has its bytes and its signal. Bytes without a document, which a death in the
 * middle of an upload leaves, are gone after the product's own cleanup, run as if two hours had passed.
 */
async function filesHaveOwners(stage: FaultHarness): Promise<string[]> {
  const { database } = stage;
  await cleanUpFiles({ database, now: () => new Date(Date.now() + LATER_MS) });
  const images = await database.chartImages.find().lean();
  const signals = await database.signals.distinct("_id");
  const known = new Set(signals.map(String));
  const faults = images
    .filter(({ signalId }) => !known.has(signalId.toString()))
    .map(({ filename }) => `the chart image ${filename} belongs to no signal`);
  for (const kind of FILE_KINDS) faults.push(...(await byteFaults(stage, kind)));
  return faults;
}

async function byteFaults({ database }: FaultHarness, kind: FileKind): Promise<string[]> {
  const idsIn = async (collection: string, key = "_id") =>
    (await database.connection.collection(collection).distinct(key)).map(String);
  const ids = await idsIn(kind === "chart_uploads" ? "chart_images" : "payment_proofs");
  const files = await idsIn(`${kind}.files`);
  const chunks = await idsIn(`${kind}.chunks`, "files_id");
  const missing = (from: string[], of: string[]) => of.filter((id) => !from.includes(id));
  return [
    ...missing(files, ids).map((id) => `the ${kind} file ${id} has no bytes`),
    ...missing(chunks, ids).map((id) => `the ${kind} file ${id} has no chunks`),
    ...missing(ids, files).map((id) => `the bytes ${id} in ${kind} are nobody's`),
    ...missing(ids, chunks).map((id) => `the chunks of ${id} in ${kind} are nobody's`),
  ];
}
