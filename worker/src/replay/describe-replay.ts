import type { Difference } from "./differences.ts";
import type { Replay } from "./replay-signal.ts";

/** How `npm run replay` ends. */
export const EXIT_CODES = { match: 0, mismatch: 1, impossible: 2 } as const satisfies Record<
  Replay["verdict"],
  number
>;

/** Longest text of a value; prompts run to thousands of characters. */
const LONGEST_VALUE = 160;

/** The outcome as text for a terminal. */
export function describeReplay(signalId: string, replay: Replay): string {
  switch (replay.verdict) {
    case "match":
      return [
        `${signalId}: match. Made again from its candles, it is the same.`,
        ...replay.notes,
      ].join("\n");
    case "mismatch":
      return [
        `${signalId}: mismatch. Made again from its candles, it is not the same.`,
        ...replay.notes,
        ...replay.differences.flatMap(describeDifference),
      ].join("\n");
    case "impossible":
      return `${signalId}: cannot be made again. ${replay.reason}`;
  }
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

/** The part of a long text in which it differs. */
function cut(text: string, start: number): string {
  if (text.length <= LONGEST_VALUE) return text;
  const from = Math.max(start - LONGEST_VALUE / 4, 0);
  const end = from + LONGEST_VALUE;
  return `${from > 0 ? "…" : ""}${text.slice(from, end)}${end < text.length ? "…" : ""}`;
}
