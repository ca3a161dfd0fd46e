import { appendFile, mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  GENESIS_HASH,
  type LedgerEntry,
  type LedgerHead,
  type PublishedHead,
  publishedHeadSchema,
} from "@shared/contract/ledger.ts";
import {
  createLedgerVerifier,
  type LedgerReport,
  type VerifierOptions,
} from "@shared/contract/ledger-verifier.ts";
import type { Database } from "../database/database.ts";
import { LEDGER_HEAD_ID, type LedgerPublicationRecord } from "../database/models/ledger.ts";

const STREAM_BATCH_SIZE = 500;

/** The public sees the figures that are public at a moment, the operator all of them. */
type LedgerAudience = { publicAt: Date } | "operator";

/**
 * The public at `now`, or at the time of the head if that is later: the clock of the worker may be ahead, and an
 * outcome must not appear before its figures.
 */
export function publicAudience(head: Pick<LedgerHead, "at">, now: Date): LedgerAudience {
  const chainMs = head.at ? Date.parse(head.at) : 0;
  return { publicAt: new Date(Math.max(now.getTime(), chainMs)) };
}

/** The last record. */
export async function readLedgerHead(database: Database): Promise<LedgerHead> {
  const head = await database.ledgerHeads.findById(LEDGER_HEAD_ID).lean();
  if (!head) return { seq: 0, hash: GENESIS_HASH, at: null };
  const { seq, hash, at } = head;
  return { seq, hash, at };
}

/** The records after `after` up to `upTo`, oldest first, with the figures that the audience may see. */
export async function readLedgerEntries(
  database: Database,
  options: {
    after: number;
    upTo: number;
    limit: number;
    audience: LedgerAudience;
    /** Only those of this arm of the bench. */
    arm?: string;
  },
): Promise<LedgerEntry[]> {
  const { after, upTo, limit, audience, arm } = options;
  const found = await database.ledger
    .find({ _id: { $gt: after, $lte: upTo }, ...(arm !== undefined && { "body.arm": arm }) })
    .sort({ _id: 1 })
    .limit(limit)
    .lean();
  const analysisSeqs = found.filter(({ kind }) => kind === "analysis").map(({ _id }) => _id);
  const reveals = await database.ledgerReveals
    .find({
      _id: { $in: analysisSeqs },
      ...(audience !== "operator" && { publicAt: { $lte: audience.publicAt } }),
    })
    .lean();
  const revealOf = new Map(reveals.map(({ _id, salt, figures }) => [_id, { salt, figures }]));
  return found.map(({ _id: seq, ...content }) => ({
    record: { seq, ...content },
    reveal: revealOf.get(seq) ?? null,
  }));
}

/** All records up to `upTo`, read in batches. Read the head first, so that every outcome comes with its figures. */
export async function* streamLedgerEntries(
  database: Database,
  upTo: number,
  audience: LedgerAudience,
): AsyncGenerator<LedgerEntry> {
  let after = 0;
  while (after < upTo) {
    const entries = await readLedgerEntries(database, {
      after,
      upTo,
      limit: STREAM_BATCH_SIZE,
      audience,
    });
    yield* entries;
    const last = entries.at(-1);
    if (!last) return;
    after = last.record.seq;
  }
}

export const presentHead = ({ _id, seq, hash, at }: LedgerPublicationRecord): PublishedHead => ({
  day: _id,
  seq,
  hash,
  at,
});

/** The file in `folder` with the published heads, one JSON line a day. */
export const headFile = (folder: string): string => join(folder, "ledger-heads.ndjson");

/** The heads in a file; none if the file does not exist. A partially written line is skipped. */
export async function readHeadFile(file: string): Promise<PublishedHead[]> {
  const text = await readText(file);
  return text.split("\n").flatMap((line) => parseLine(line) ?? []);
}

export async function appendToHeadFile(
  file: string,
  heads: readonly PublishedHead[],
): Promise<void> {
  if (heads.length === 0) return;
  await mkdir(dirname(file), { recursive: true });
  const text = await readText(file);
  const start = text === "" || text.endsWith("\n") ? "" : "\n";
  const lines = heads.map((head) => `${JSON.stringify(head)}\n`).join("");
  await appendFile(file, start + lines, { flush: true });
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}

function parseLine(line: string): PublishedHead | null {
  try {
    return publishedHeadSchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

/** Verifies the whole ledger in the database, including hidden figures, against its head and those kept elsewhere. */
export async function verifyDatabase(
  database: Database,
  { kept = [], onOutcome }: VerifierOptions = {},
): Promise<LedgerReport> {
  const head = await readLedgerHead(database);
  const verifier = createLedgerVerifier({
    kept: head.seq > 0 ? [...kept, head] : kept,
    ...(onOutcome && { onOutcome }),
  });
  for await (const entry of streamLedgerEntries(database, head.seq, "operator")) {
    if (!verifier.add(JSON.stringify(entry))) break;
  }
  return verifier.finish();
}
