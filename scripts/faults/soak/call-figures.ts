import { percentile } from "../../bench/percentiles.ts";

/** What came of a call: it was answered as it should, with a 503, or not at all. */
export type CallEnd = "answered" | "refused" | "lost";

/** One kind of call, as the table shows it; times in milliseconds. */
export interface CallRow {
  call: string;
  answered: number;
  refused: number;
  lost: number;
  p50: number;
  p95: number;
}

/** Counts calls by their kind and end. */
export class CallFigures {
  readonly #calls = new Map<string, { end: CallEnd; tookMs: number }[]>();

  note(call: string, end: CallEnd, tookMs: number): void {
    const known = this.#calls.get(call) ?? [];
    known.push({ end, tookMs });
    this.#calls.set(call, known);
  }

  rows(): CallRow[] {
    return [...this.#calls].map(([call, ends]) => {
      const count = (end: CallEnd) => ends.filter((one) => one.end === end).length;
      const times = ends.filter(({ end }) => end === "answered").map(({ tookMs }) => tookMs);
      return {
        call,
        answered: count("answered"),
        refused: count("refused"),
        lost: count("lost"),
        p50: Math.round(percentile(times, 0.5)),
        p95: Math.round(percentile(times, 0.95)),
      };
    });
  }
}
