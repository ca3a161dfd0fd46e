import type { Database } from "./database.ts";
import type { Advance, StreamHead } from "./stream-heads.ts";

/** Users whose streams are remembered; whoever comes back after as many others is looked up again. */
const MOST_KNOWN = 10_000;

/** With more signals under way, somebody else writes to the stream before what is known can be made use of. */
const CALM = 1;

/**
 * Where streams stood last, as far as this process knows: who knows it right can number events ahead, and has the
 * database check it in the command that writes them.
 */
export class KnownHeads {
  readonly #heads = new Map<string, StreamHead>();

  /** Remembers where a stream stands by a commit, unless something later is known. */
  learn(stream: string, head: StreamHead): void {
    const known = this.#heads.get(stream);
    if (known && known.seq >= head.seq) return;
    this.#heads.delete(stream);
    this.#heads.set(stream, head);
    const [oldest] = this.#heads.keys();
    if (oldest !== undefined && this.#heads.size > MOST_KNOWN) this.#heads.delete(oldest);
  }

  /** Hears of an event that follows what is known; after one that does not, nothing is known of its stream. */
  hear(stream: string, event: { seq: number; unfinished: number }): void {
    const known = this.#heads.get(stream);
    if (!known || event.seq <= known.seq) return;
    if (event.seq > known.seq + 1) this.#heads.delete(stream);
    else this.learn(stream, { seq: event.seq, unfinished: known.unfinished + event.unfinished });
  }

  /**
   * Takes what is known of all these streams, so that whoever fails with it does not find it again.
   * @returns null if one of them is not known, or likely to be moved on by somebody else meanwhile
   */
  take(advances: ReadonlyMap<string, Advance>): Map<string, StreamHead> | null {
    const taken = new Map<string, StreamHead>();
    for (const [stream, { unfinished }] of advances) {
      const known = this.#heads.get(stream);
      this.#heads.delete(stream);
      if (known && known.unfinished + Math.max(0, unfinished) <= CALM) taken.set(stream, known);
    }
    return taken.size > 0 && taken.size === advances.size ? taken : null;
  }

  forgetAll(): void {
    this.#heads.clear();
  }
}

const knownByDatabase = new WeakMap<Database, KnownHeads>();

/** What this process knows of the streams of a database. */
export function knownHeads(database: Database): KnownHeads {
  const known = knownByDatabase.get(database) ?? new KnownHeads();
  knownByDatabase.set(database, known);
  return known;
}
