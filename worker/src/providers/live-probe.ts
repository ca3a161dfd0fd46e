import type { LiveProvider } from "./live-provider.ts";

/**
 * Finds out whether any live provider answers; asks all of them at once, and remembers the result.
 */
export class LiveProbe {
  private readonly providers: readonly LiveProvider[];
  private readonly timeoutMs: number;
  private readonly onChange: (reachable: boolean) => void;
  private underway: Promise<boolean> | undefined;
  private last: boolean | undefined;

  /** @param options.onChange told when the result differs from the one before */
  constructor(options: {
    providers: readonly LiveProvider[];
    timeoutMs: number;
    onChange: (reachable: boolean) => void;
  }) {
    this.providers = options.providers;
    this.timeoutMs = options.timeoutMs;
    this.onChange = options.onChange;
  }

  /** The last result; undefined before the first probe has ended. */
  get reachable(): boolean | undefined {
    return this.last;
  }

  /** The last result, or that of the first probe if none has ended yet. */
  async known(): Promise<boolean> {
    return this.last ?? this.run();
  }

  /** Probes now, once for all who ask at the same time. Never rejects. */
  run(): Promise<boolean> {
    this.underway ??= this.anyReachable().finally(() => {
      this.underway = undefined;
    });
    return this.underway;
  }

  private async anyReachable(): Promise<boolean> {
    const enough = new AbortController();
    const abort = AbortSignal.any([enough.signal, AbortSignal.timeout(this.timeoutMs)]);
    const reachable = await firstTrue(
      this.providers.map((provider) => provider.isReachable(abort)),
    );
    enough.abort();
    if (reachable !== this.last) this.onChange(reachable);
    this.last = reachable;
    return reachable;
  }
}

/** True as soon as one of `answers` is; false when none is. */
async function firstTrue(answers: Promise<boolean>[]): Promise<boolean> {
  const onlyTrue = answers.map(async (answer) => {
    if (!(await answer)) throw new Error("not reachable");
    return true;
  });
  return Promise.any(onlyTrue).catch(() => false);
}
