import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import canonicalize from "canonicalize";
import {
  GENESIS_HASH,
  type LedgerEntry,
  type LedgerFigures,
  type LedgerHead,
  type LedgerRecord,
  ledgerEntrySchema,
} from "./ledger.ts";
import type { Resolution } from "./resolution.ts";

const LEDGER_FAULTS = {
  malformed: "the line is not a record",
  gap: "the record is missing",
  reordered: "the record is not in its place",
  duplicate: "a record with this number came before",
  hash: "its content does not match its hash",
  "prev-hash": "it does not continue the record before it",
  time: "it is older than the record before it",
  reference: "it names a record that it cannot mean",
  reveal: "what was revealed does not match its commitment",
  unrevealed: "it was resolved, and its figures are withheld",
  head: "it is not the record that the kept head stands for",
  truncated: "the ledger ends before the kept head",
} as const;
type LedgerFaultReason = keyof typeof LEDGER_FAULTS;

interface LedgerFault {
  /** Number of the bad or missing record. */
  seq: number;
  /** Line where it was detected, from 1; null at the end. */
  line: number | null;
  reason: LedgerFaultReason;
  detail: string;
}

/** A head that was kept elsewhere. The ledger has to contain it. */
export type KeptHead = Pick<LedgerHead, "seq" | "hash">;

export interface LedgerReport {
  /** Null if the ledger is valid. */
  fault: LedgerFault | null;
  head: KeptHead;
  tally: LedgerTally;
}

export interface VerifierOptions {
  kept?: readonly KeptHead[];
  onOutcome?: (recorded: { seq: number; figures: LedgerFigures; resolution: Resolution }) => void;
}

interface VerifierState {
  line: number;
  head: KeptHead;
  lastAt: number;
  tally: LedgerTally;
  fault: LedgerFault | null;
  /** Figures of analyses without an outcome; null if not revealed. */
  pending: Map<number, LedgerFigures | null>;
  onOutcome: VerifierOptions["onOutcome"];
  /** Hashes of the kept heads by number; two of one number may contradict each other. */
  kept: Map<number, string[]>;
}

type Finding = { reason: LedgerFaultReason; seq?: number; detail?: string } | null;

/**
 * Verifies a ledger line by line: hashes, chain, order, references, commitments of revealed figures, and kept heads.
 * Only a kept head shows that a ledger was truncated or rewritten as a whole.
 */
export function createLedgerVerifier(options: VerifierOptions = {}) {
  const state: VerifierState = {
    line: 0,
    head: { seq: 0, hash: GENESIS_HASH },
    lastAt: Number.NEGATIVE_INFINITY,
    tally: emptyTally(),
    fault: null,
    pending: new Map(),
    onOutcome: options.onOutcome,
    kept: hashesBySeq(options.kept ?? []),
  };
  return {
    /** Checks the next line; returns false if no more are needed. */
    add(line: string): boolean {
      state.line += 1;
      if (line.trim() === "") return true;
      if (state.fault) lookForMissing(state, line);
      else addLine(state, line);
      return mayLearnMore(state);
    },
    finish(): LedgerReport {
      state.fault ??= findTruncation(state);
      return { fault: state.fault, head: state.head, tally: state.tally };
    },
  };
}

function hashesBySeq(heads: readonly KeptHead[]): Map<number, string[]> {
  const hashes = new Map<number, string[]>();
  for (const { seq, hash } of heads) hashes.set(seq, [...(hashes.get(seq) ?? []), hash]);
  return hashes;
}

/** After a gap, later lines show if the missing record was removed or moved. */
const mayLearnMore = ({ fault }: VerifierState): boolean => !fault || fault.reason === "gap";

function faultOf(state: VerifierState, finding: NonNullable<Finding>): LedgerFault {
  const { reason, seq = state.head.seq + 1, detail } = finding;
  const words = LEDGER_FAULTS[reason];
  return { seq, line: state.line, reason, detail: detail ? `${words}: ${detail}` : words };
}

function addLine(state: VerifierState, line: string): void {
  const entry = parseEntry(line);
  if (!entry) {
    state.fault = faultOf(state, { reason: "malformed" });
    return;
  }
  const finding =
    checkHash(entry) ??
    checkPlace(state, entry) ??
    checkReferences(state, entry) ??
    checkReveal(entry) ??
    checkKept(state, entry);
  if (finding) state.fault = faultOf(state, finding);
  else accept(state, entry);
}

function parseEntry(line: string): LedgerEntry | null {
  try {
    return ledgerEntrySchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

function checkHash({ record }: LedgerEntry): Finding {
  const { hash, ...content } = record;
  return hashRecord(content) === hash ? null : { reason: "hash" };
}

function checkPlace({ head, lastAt }: VerifierState, { record }: LedgerEntry): Finding {
  if (record.seq <= head.seq) return { reason: "duplicate", seq: record.seq };
  if (record.seq > head.seq + 1) return { reason: "gap", detail: `${record.seq} stands there` };
  if (record.prev_hash !== head.hash) return { reason: "prev-hash" };
  return Date.parse(record.at) < lastAt ? { reason: "time" } : null;
}

/** A missing number further down was moved, not removed. */
function lookForMissing(state: VerifierState, line: string): void {
  const { fault } = state;
  if (!fault || parseEntry(line)?.record.seq !== fault.seq) return;
  const detail = `${LEDGER_FAULTS.reordered}: it came later, in line ${state.line}`;
  state.fault = { ...fault, reason: "reordered", detail };
}

function checkReferences(state: VerifierState, { record }: LedgerEntry): Finding {
  if (record.kind !== "outcome") {
    const { data, demo_record: isDemo } = record.body;
    return isDemo && data !== "replay" ? { reason: "reference", detail: "live or demo" } : null;
  }
  const { analysis_seq: seq, arm } = record.body;
  const pending = state.pending.get(seq);
  if (pending === undefined)
    return { reason: "reference", detail: `${seq} is no analysis without an outcome` };
  if (!pending) return { reason: "unrevealed", seq };
  return pending.arm === arm ? null : { reason: "reference", detail: `${seq} is of another arm` };
}

function checkReveal({ record, reveal }: LedgerEntry): Finding {
  if (!reveal) return null;
  if (record.kind !== "analysis") return { reason: "reveal", detail: "it commits to nothing" };
  const opened = commitTo(reveal.figures, reveal.salt);
  if (opened !== record.body.figures_commitment) return { reason: "reveal" };
  if (reveal.figures.data !== record.body.data) return { reason: "reveal", detail: "live or demo" };
  if (reveal.figures.arm !== record.body.arm) return { reason: "reveal", detail: "another arm" };
  return null;
}

function checkKept({ kept }: VerifierState, { record }: LedgerEntry): Finding {
  const hashes = kept.get(record.seq) ?? [];
  return hashes.every((hash) => hash === record.hash) ? null : { reason: "head" };
}

function accept(state: VerifierState, entry: LedgerEntry): void {
  const { record, reveal } = entry;
  state.head = { seq: record.seq, hash: record.hash };
  state.lastAt = Date.parse(record.at);
  countEntry(state.tally, entry);
  if (record.kind === "analysis") {
    state.pending.set(record.seq, reveal?.figures ?? null);
    return;
  }
  const { analysis_seq, demo_record: _demo, arm: _arm, ...resolution } = record.body;
  const figures = state.pending.get(analysis_seq);
  state.pending.delete(analysis_seq);
  if (figures) state.onOutcome?.({ seq: record.seq, figures, resolution });
}

function findTruncation({ head, kept }: VerifierState): LedgerFault | null {
  const furthest = Math.max(0, ...kept.keys());
  if (furthest <= head.seq) return null;
  const detail = `${LEDGER_FAULTS.truncated}: it had ${furthest} records`;
  return { seq: head.seq + 1, line: null, reason: "truncated", detail };
}

/** A commitment should be recorded before the shortest candle closes and the outcome can be known. */
const MAX_COMMITMENT_DELAY_MS = 60_000;

const emptyTally = () => ({
  analyses: { live: 0, replay: 0, none: 0 },
  outcomes: { WIN: 0, LOSS: 0, EXPIRED: 0 },
  /** Those of the bench, which no user got; the others above are without them. */
  shadow: { analyses: 0, outcomes: 0 },
  /** Analyses with public figures. */
  revealed: 0,
  /** Analyses that were recorded more than a minute after they were finished, without those of the demo record. */
  late: 0,
});

type LedgerTally = ReturnType<typeof emptyTally>;

function countEntry(tally: LedgerTally, { record, reveal }: LedgerEntry): void {
  const isShadow = record.body.arm !== undefined;
  if (record.kind === "outcome") {
    if (isShadow) tally.shadow.outcomes += 1;
    else tally.outcomes[record.body.outcome] += 1;
    return;
  }
  if (isShadow) tally.shadow.analyses += 1;
  else tally.analyses[record.body.data] += 1;
  if (!reveal) return;
  tally.revealed += 1;
  const delayMs = Date.parse(record.at) - Date.parse(reveal.figures.finished_at);
  if (delayMs > MAX_COMMITMENT_DELAY_MS && !record.body.demo_record) tally.late += 1;
}

/** A downloaded ledger: UTF-8, one entry a line. */
export type LedgerBytes = ReadableStream<Uint8Array>;

/** Lines between two progress reports, at which a browser can handle other events. */
const PROGRESS_INTERVAL_LINES = 250;

/**
 * Verifies a ledger while it is downloaded, and stops at the first fault.
 * @param options.onProgress gets the number of verified lines
 */
export async function verifyLedger(
  bytes: LedgerBytes,
  options: VerifierOptions & { onProgress?: (lines: number) => void } = {},
): Promise<LedgerReport> {
  const { onProgress, ...verifierOptions } = options;
  const verifier = createLedgerVerifier(verifierOptions);
  let lines = 0;
  for await (const line of linesOf(bytes)) {
    if (!verifier.add(line)) break;
    lines += 1;
    if (lines % PROGRESS_INTERVAL_LINES > 0) continue;
    onProgress?.(lines);
    await nextTurn();
  }
  onProgress?.(lines);
  return verifier.finish();
}

async function* linesOf(bytes: LedgerBytes): AsyncGenerator<string> {
  const reader = bytes.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const lines = (rest + decoder.decode(value, { stream: !done })).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
      if (done) break;
    }
    if (rest !== "") yield rest;
  } finally {
    await reader.cancel();
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

type WithoutHash<Kind> = Kind extends LedgerRecord ? Omit<Kind, "hash"> : never;

export type UnhashedRecord = WithoutHash<LedgerRecord>;

/**
 * Canonical JSON (RFC 8785): equal values give equal text, whatever the order of their fields.
 * @throws TypeError if JSON cannot represent the value
 */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError("this value has no JSON");
  return text;
}

/**
 * SHA-256 of the UTF-8 bytes of a text, in lower-case hex. Web Crypto is slower for short texts and missing on pages
 * without https.
 */
export function sha256Hex(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

/** The hash of a record, which the next record contains. */
export function hashRecord(record: UnhashedRecord): string {
  return sha256Hex(canonicalJson(record));
}

/** A commitment to `content`: SHA-256 of the hex digits of the salt followed by the canonical JSON of the content. */
export function commitTo(content: unknown, salt: string): string {
  return sha256Hex(salt + canonicalJson(content));
}
