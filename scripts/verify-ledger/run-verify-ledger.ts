import { mkdirSync, realpathSync } from "node:fs";
import {
  type KeptHead,
  type LedgerReport,
  type VerifierOptions,
  verifyLedger,
} from "@shared/contract/ledger-verifier.ts";
import { openDatabase } from "@shared/database/database.ts";
import { headFile, readHeadFile, verifyDatabase } from "@shared/domain/ledger.ts";
import {
  type Recheck,
  type RecordedOutcome,
  resolveAgain,
} from "@shared/outcomes/resolve-again.ts";
import { loadSettings, readDotEnv } from "@shared/runtime/settings.ts";
import { CliError, resolveTyped } from "../lib/cli.mjs";
import { startEmbeddedMongo } from "../lib/mongo/embedded-mongo.mjs";
import { tryLock } from "../lib/process-lock.mjs";
import { openCandleSource, openLedger } from "./open-sources.ts";
import { parseVerifyArgs } from "./parse-args.ts";

interface Command {
  args: readonly string[];
  say: (line: string) => void;
  signal: AbortSignal;
}

/**
 * Verifies the ledger of a file, of an API, or of the product's own database, and says what it found. With candles, its
 * outcomes are resolved again.
 * @returns whether it is intact, and no outcome differs
 * @throws CliError if there is nothing to verify
 */
export async function runVerifyLedger(command: Command): Promise<boolean> {
  const orders = parseVerifyArgs(command.args);
  const { source, kept: heads, headsFile } = orders;
  const candles = openCandleSource(orders, command.signal);
  const kept = headsFile ? [...heads, ...(await readHeads(headsFile))] : heads;
  const outcomes: RecordedOutcome[] = [];
  const options = {
    kept,
    ...(candles && { onOutcome: (one: RecordedOutcome) => outcomes.push(one) }),
  };
  const report =
    source === undefined
      ? await verifyOwn(command, options)
      : await verifySource(source, options, command.signal);
  for (const line of describeReport(report)) command.say(line);
  if (!candles || report.fault) return report.fault === null;
  const rechecks: NumberedRecheck[] = [];
  for (const outcome of outcomes) {
    rechecks.push({ ...outcome, recheck: await resolveAgain(outcome, candles) });
  }
  for (const line of describeRechecks(rechecks)) command.say(line);
  return rechecks.every(({ recheck }) => recheck.result !== "differs");
}

async function readHeads(file: string): Promise<KeptHead[]> {
  const heads = await readHeadFile(resolveTyped(file));
  if (heads.length === 0) throw new CliError(`There are no published heads in ${file}.`);
  return heads;
}

async function verifySource(
  source: string,
  options: VerifierOptions,
  signal: AbortSignal,
): Promise<LedgerReport> {
  return verifyLedger(await openLedger(source, signal), options);
}

/** The product's own ledger, against the heads that were published from here as well. */
async function verifyOwn(
  { say, signal }: Command,
  given: VerifierOptions & { kept: readonly KeptHead[] },
): Promise<LedgerReport> {
  readDotEnv();
  const settings = loadSettings();
  const { MONGODB_URI, DATA_DIR, VITE_API_URL } = settings;
  const kept = [...given.kept, ...(await readHeadFile(headFile(DATA_DIR)))];
  const options = { ...given, kept };
  say(`Kept heads to check against: ${kept.length}.`);
  if (MONGODB_URI) return verifyAt(MONGODB_URI, options);
  mkdirSync(DATA_DIR, { recursive: true });
  const release = await tryLock(`run ${realpathSync(DATA_DIR)}`);
  if (!release) {
    say(`The product is running: verifying what ${VITE_API_URL} publishes.`);
    return verifySource(VITE_API_URL, options, signal);
  }
  const mongo = await startEmbeddedMongo({ dataDir: DATA_DIR, say, signal });
  try {
    return await verifyAt(mongo.uri, options);
  } finally {
    await mongo.part.stop();
    await release();
  }
}

async function verifyAt(uri: string, options: VerifierOptions): Promise<LedgerReport> {
  const database = await openDatabase({ uri });
  try {
    return await verifyDatabase(database, options);
  } finally {
    await database.close();
  }
}

const count = new Intl.NumberFormat("en-US").format;

/** A report in words, line by line. */
export function describeReport({ fault, head, tally }: LedgerReport): string[] {
  if (fault) {
    const place = fault.line === null ? "" : ` (line ${fault.line})`;
    return [
      `NOT INTACT: record ${fault.seq}${place}: ${fault.detail} [${fault.reason}].`,
      `The ${count(head.seq)} records before are good.`,
    ];
  }
  const { analyses, outcomes, revealed, late } = tally;
  const resolved = outcomes.WIN + outcomes.LOSS + outcomes.EXPIRED;
  return [
    `Intact: ${count(head.seq)} records.`,
    `Analyses: ${count(analyses.live)} live, ${count(analyses.replay)} demo; figures revealed of ${count(revealed)}.`,
    `Resolved: ${count(resolved)}: ${outcomes.WIN} won, ${outcomes.LOSS} lost, ${outcomes.EXPIRED} expired.`,
    `Recorded more than a minute late: ${count(late)}.`,
    `Head ${head.seq}:${head.hash}`,
  ];
}

/** An outcome that was resolved again, and the result. */
export type NumberedRecheck = RecordedOutcome & { recheck: Recheck };

/** What resolving the outcomes again came to, line by line. */
export function describeRechecks(rechecks: readonly NumberedRecheck[]): string[] {
  const countOf = (result: Recheck["result"]) =>
    rechecks.filter(({ recheck }) => recheck.result === result).length;
  const differing = rechecks.flatMap(({ seq, figures, recheck }) => {
    if (recheck.result !== "differs") return [];
    const fields = recheck.fields.map(
      ({ name, recorded, resolved }) => `${name} is ${recorded}, resolved again ${resolved}`,
    );
    return [
      `DIFFERS: record ${seq}, ${figures.symbol} ${figures.timeframe}: ${fields.join("; ")}.`,
    ];
  });
  return [
    `Resolved again: ${count(rechecks.length)}: ${countOf("agrees")} agree, ${countOf("differs")} differ.`,
    `Not checked: ${countOf("no-candles")} without candles, ${countOf("needs-finer-candles")} need candles of a shorter timeframe.`,
    ...differing,
  ];
}
