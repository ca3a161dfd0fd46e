import { type Database, openDatabase } from "@shared/database/database.ts";
import { asFinished } from "@shared/domain/queue-signal.ts";
import { sizeAnalysis } from "@shared/domain/sizing.ts";
import { isValidObjectId } from "mongoose";
import { signalProvenanceSchema } from "../analysis/provenance.ts";
import { type Difference, type Reproduction, reproduceSignal } from "./reproduce-signal.ts";

/** @returns text for the terminal, and the exit code */
export async function runReproduction(options: {
  uri: string;
  signalId: string;
}): Promise<{ text: string; exitCode: number }> {
  const { uri, signalId } = options;
  const database = await openDatabase({ uri });
  try {
    const reproduction = await reproduceStoredSignal(database, signalId);
    const exitCode = EXIT_CODES[reproduction.verdict];
    return { text: describeReproduction(signalId, reproduction), exitCode };
  } finally {
    await database.close();
  }
}

const impossible = (reason: string): Reproduction => ({ verdict: "impossible", reason });

/** Reproduces a stored signal. For a signal whose entry was missed when requested, reproduces its analysis. */
export async function reproduceStoredSignal(
  database: Database,
  signalId: string,
): Promise<Reproduction> {
  const isId = isValidObjectId(signalId);
  const signal = isId ? await database.signals.findById(signalId).lean() : null;
  if (!signal) return impossible("There is no such signal.");
  if (signal.status === "failed") return impossible("It failed: there is nothing to recompute.");
  const { analysis } = signal;
  if (!analysis) return impossible(`It is not finished yet (${signal.status}).`);
  const made = await database.marketAnalyses.findById(signal.analysisId).lean();
  const provenance = signalProvenanceSchema.safeParse(made?.provenance);
  if (!provenance.success) {
    return impossible(
      "Its provenance is missing, or of a version of the product that wrote others.",
    );
  }
  const stored = await database.analysisCandles.findById(signal.analysisId).lean();
  if (!stored || stored.candles.length === 0) return impossible("Its candles are not stored.");
  const finished = made && asFinished(made);
  const isMissed = analysis.final_signal !== finished?.result.analysis.final_signal;
  const given = finished && isMissed ? sizeAnalysis(finished, signal) : analysis;
  const { candles } = stored;
  return reproduceSignal({ signal, analysis: given, provenance: provenance.data, candles });
}

export const EXIT_CODES = { match: 0, mismatch: 1, impossible: 2 } as const;

const MAX_VALUE_LENGTH = 160;

export function describeReproduction(signalId: string, found: Reproduction): string {
  if (found.verdict === "impossible") return `${signalId}: cannot be made again. ${found.reason}`;
  const lines =
    found.verdict === "match"
      ? [`${signalId}: match. Made again from its candles, it is the same.`, ...found.notes]
      : [
          `${signalId}: mismatch. Made again from its candles, it is not the same.`,
          ...found.notes,
          ...found.differences.flatMap(describeDifference),
        ];
  return lines.join("\n");
}

function describeDifference({ field, stored, recomputed }: Difference): string[] {
  const [from, to] = [show(stored), show(recomputed)];
  const start = firstDifference(from, to);
  return [`  ${field}`, `    stored      ${cut(from, start)}`, `    recomputed  ${cut(to, start)}`];
}

const show = (value: unknown): string => JSON.stringify(value) ?? "(absent)";

function firstDifference(a: string, b: string): number {
  const index = [...a].findIndex((character, at) => character !== b[at]);
  return index === -1 ? a.length : index;
}

function cut(text: string, start: number): string {
  if (text.length <= MAX_VALUE_LENGTH) return text;
  const from = Math.max(start - MAX_VALUE_LENGTH / 4, 0);
  const end = from + MAX_VALUE_LENGTH;
  return `${from > 0 ? "…" : ""}${text.slice(from, end)}${end < text.length ? "…" : ""}`;
}
