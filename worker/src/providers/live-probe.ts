import type { LiveProvider } from "./live-provider.ts";

/**
 * Finds out which live providers answer; asks all of them at once, and remembers the result. A provider that answers
 * says nothing of the others, as it may deal in other kinds of markets.
 */
export class LiveProbe {
  private readonly providers: readonly LiveProvider[];
  private readonly timeoutMs: number;
  private readonly onChange: (reachable: string[]) => void;
  private underway: Promise<ReadonlySet<LiveProvider>> | undefined;
  private last: ReadonlySet<LiveProvider> | undefined;

  /** @param options.onChange told the names of those that answer, when they are others than before */
  constructor(options: {
    providers: readonly LiveProvider[];
    timeoutMs: number;
    onChange: (reachable: string[]) => void;
  }) {
    this.providers = options.providers;
    this.timeoutMs = options.timeoutMs;
    this.onChange = options.onChange;
  }

  /** Whether a provider of this kind of symbol answered the last probe; false before the first has ended. */
  lastReached(symbol: string): boolean {
    return covers(this.last ?? new Set(), symbol);
  }

  /** The same by the last probe, or by the first if none has ended yet. */
  async knownToReach(symbol: string): Promise<boolean> {
    return covers(this.last ?? (await this.run()), symbol);
  }

  /** The same by a probe made now. */
  async reaches(symbol: string): Promise<boolean> {
    return covers(await this.run(), symbol);
  }

  /** Probes now, once for all who ask at the same time. Never rejects. */
  run(): Promise<ReadonlySet<LiveProvider>> {
    this.underway ??= this.probe().finally(() => {
      this.underway = undefined;
    });
    return this.underway;
  }

  private async probe(): Promise<ReadonlySet<LiveProvider>> {
    const abort = AbortSignal.timeout(this.timeoutMs);
    const answers = await Promise.all(
      this.providers.map((provider) => provider.isReachable(abort)),
    );
    const reachable = new Set(this.providers.filter((_, index) => answers[index]));
    if (!this.last || !isSame(this.last, reachable)) {
      this.onChange([...reachable].map(({ name }) => name));
    }
    this.last = reachable;
    return reachable;
  }
}

function covers(providers: ReadonlySet<LiveProvider>, symbol: string): boolean {
  return [...providers].some((provider) => provider.covers(symbol));
}

function isSame<T>(one: ReadonlySet<T>, other: ReadonlySet<T>): boolean {
  return one.size === other.size && [...one].every((item) => other.has(item));
}
