import { mkdirSync, realpathSync } from "node:fs";
import type { KeptHead, LedgerReport, VerifierOptions } from "@shared/contract/ledger-verifier.ts";
import { verifyLedger } from "@shared/contract/verify-ledger.ts";
import { openDatabase } from "@shared/node/database.ts";
import { headFile, readHeadFile } from "@shared/node/ledger/head-file.ts";
import { verifyDatabase } from "@shared/node/ledger/verify-database.ts";
import { loadSettings, readDotEnv } from "@shared/node/settings.ts";
import { type RecordedOutcome, resolveAgain } from "@shared/outcomes/resolve-again.ts";
import { startEmbeddedMongo } from "../lib/embedded-mongo.mjs";
import { PlainError } from "../lib/plain-error.mjs";
import { tryLock } from "../lib/process-lock.mjs";
import { resolveTyped } from "../lib/resolve-typed.mjs";
import { describeRechecks, describeReport, type NumberedRecheck } from "./describe-report.ts";
import { openCandleSource } from "./open-candle-source.ts";
import { openLedger } from "./open-ledger.ts";
import { readOrders } from "./read-orders.ts";

interface Command {
  args: readonly string[];
  say: (line: string) => void;
  signal: AbortSignal;
}

/**
 * Verifies the ledger of a file, of an API, or of the product's own database, and says what it found. With candles, its
 * outcomes are resolved again.
 * @returns whether it is intact, and no outcome differs
 * @throws PlainError if there is nothing to verify
 */
export async function runVerifyLedger(command: Command): Promise<boolean> {
  const orders = readOrders(command.args);
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
  if (heads.length === 0) throw new PlainError(`There are no published heads in ${file}.`);
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
