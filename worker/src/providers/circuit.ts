import type { ProviderError } from "./provider-error.ts";

export interface CircuitLimits {
  /** Failures in a row that open the circuit. */
  failuresToOpen: number;
  /** How long an open circuit refuses all calls. */
  pauseMs: number;
}

/**
 * Circuit breaker. It is closed until too many calls in a row have failed. Then it is open and refuses calls for a while.
 * After that it is half-open and lets one trial call at a time through, until one succeeds and closes it.
 *
 * The caller asks `isRefusing` before a call and reports its outcome, unless that says nothing about what this circuit
 * protects. cockatiel's breaker judges every call that it runs, so a call could not belong to two circuits.
 */
export class Circuit {
  private readonly limits: CircuitLimits;
  private readonly now: () => number;
  private failuresInRow = 0;
  private opened = false;
  private pausedUntil = 0;
  private trialUnderWay = false;
  private lastFailure: ProviderError | undefined;

  constructor(options: { limits: CircuitLimits; now: () => number }) {
    this.limits = options.limits;
    this.now = options.now;
  }

  /** False from its opening until a call has succeeded. */
  get isClosed(): boolean {
    return !this.opened;
  }

  /** Whether the last call that was reported failed. */
  get isFailing(): boolean {
    return this.failuresInRow > 0;
  }

  /** True while it is open, and while a trial call is under way. */
  get isRefusing(): boolean {
    return this.opened && (this.trialUnderWay || this.now() < this.pausedUntil);
  }

  get reason(): ProviderError | undefined {
    return this.lastFailure;
  }

  /** Makes the next call the trial of a half-open circuit. Returns what must be called when that call has ended. */
  startTrial(): () => void {
    if (!this.opened) return () => undefined;
    this.trialUnderWay = true;
    return () => {
      this.trialUnderWay = false;
    };
  }

  succeed(): void {
    this.failuresInRow = 0;
    this.opened = false;
  }

  fail(error: ProviderError): void {
    this.failuresInRow += 1;
    this.lastFailure = error;
    if (this.opened || this.failuresInRow >= this.limits.failuresToOpen) this.open(error);
  }

  open(error: ProviderError): void {
    this.lastFailure = error;
    this.opened = true;
    this.pausedUntil = this.now() + this.limits.pauseMs;
  }
}
