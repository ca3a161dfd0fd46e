import { mkdirSync, realpathSync } from "node:fs";
import type { KeptHead, LedgerReport } from "@shared/contract/ledger-verifier.ts";
import { verifyLedger } from "@shared/contract/verify-ledger.ts";
import { openDatabase } from "@shared/node/database.ts";
import { headFile, readHeadFile } from "@shared/node/ledger/head-file.ts";
import { verifyDatabase } from "@shared/node/ledger/verify-database.ts";
import { loadSettings, readDotEnv } from "@shared/node/settings.ts";
import { startEmbeddedMongo } from "../lib/embedded-mongo.mjs";
import { PlainError } from "../lib/plain-error.mjs";
import { tryLock } from "../lib/process-lock.mjs";
import { resolveTyped } from "../lib/resolve-typed.mjs";
import { describeReport } from "./describe-report.ts";
import { openLedger } from "./open-ledger.ts";
import { readOrders } from "./read-orders.ts";

interface Command {
  args: readonly string[];
  say: (line: string) => void;
  signal: AbortSignal;
}

/**
 * Verifies the ledger of a file, of an API, or of the product's own database, and says what it found.
 * @returns whether it is intact
 * @throws PlainError if there is nothing to verify
 */
export async function runVerifyLedger(command: Command): Promise<boolean> {
  const { source, kept, headsFile } = readOrders(command.args);
  const given = headsFile ? [...kept, ...(await readHeads(headsFile))] : kept;
  const report =
    source === undefined
      ? await verifyOwn(command, given)
      : await verifySource(source, given, command.signal);
  for (const line of describeReport(report)) command.say(line);
  return report.fault === null;
}

async function readHeads(file: string): Promise<KeptHead[]> {
  const heads = await readHeadFile(resolveTyped(file));
  if (heads.length === 0) throw new PlainError(`There are no published heads in ${file}.`);
  return heads;
}

async function verifySource(
  source: string,
  kept: readonly KeptHead[],
  signal: AbortSignal,
): Promise<LedgerReport> {
  return verifyLedger(await openLedger(source, signal), { kept });
}

/** The product's own ledger, against the heads that were published from here as well. */
async function verifyOwn(
  { say, signal }: Command,
  given: readonly KeptHead[],
): Promise<LedgerReport> {
  readDotEnv();
  const settings = loadSettings();
  const { MONGODB_URI, DATA_DIR, VITE_API_URL } = settings;
  const kept = [...given, ...(await readHeadFile(headFile(DATA_DIR)))];
  say(`Kept heads to check against: ${kept.length}.`);
  if (MONGODB_URI) return verifyAt(MONGODB_URI, kept);
  mkdirSync(DATA_DIR, { recursive: true });
  const release = await tryLock(`run ${realpathSync(DATA_DIR)}`);
  if (!release) {
    say(`The product is running: verifying what ${VITE_API_URL} publishes.`);
    return verifySource(VITE_API_URL, kept, signal);
  }
  const mongo = await startEmbeddedMongo({ dataDir: DATA_DIR, say, signal });
  try {
    return await verifyAt(mongo.uri, kept);
  } finally {
    await mongo.part.stop();
    await release();
  }
}

async function verifyAt(uri: string, kept: readonly KeptHead[]): Promise<LedgerReport> {
  const database = await openDatabase({ uri });
  try {
    return await verifyDatabase(database, kept);
  } finally {
    await database.close();
  }
}
