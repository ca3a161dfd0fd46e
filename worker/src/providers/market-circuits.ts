import { LRUCache } from "lru-cache";
import { Circuit, type CircuitLimits } from "./circuit.ts";
import type { ProviderError } from "./provider-error.ts";

/** Markets that are remembered for one provider; those used least recently are forgotten first. */
const MAX_MARKETS = 1_000;
/** Markets that count as asked recently: long enough for one signal per market, short enough to forget yesterday's. */
const RECENT_MS = 10 * 60_000;
/** Fewer failing markets than this say nothing about the others: some delisted coins must not open the provider. */
const MIN_FAILING_MARKETS = 5;
/**
 * Most markets fail if more than this share of the recent ones do. It is high because a failing market is paused by
 * itself anyway. Opening the provider saves only the first calls of other markets, but costs those that work all of
 * theirs.
 */
const MOST_MARKETS_SHARE = 0.75;

interface Market {
  circuit: Circuit;
  reportedAt: number;
}

/** A circuit for each market that one provider was asked for. */
export class MarketCircuits {
  private readonly limits: CircuitLimits;
  private readonly now: () => number;
  private readonly markets = new LRUCache<string, Market>({ max: MAX_MARKETS });

  constructor(options: { limits: CircuitLimits; now: () => number }) {
    this.limits = options.limits;
    this.now = options.now;
  }

  /** Undefined for a market without any reported call. */
  find(symbol: string): Circuit | undefined {
    return this.markets.get(symbol)?.circuit;
  }

  succeed(symbol: string): void {
    this.reported(symbol).succeed();
  }

  /** Reports a failed call. Returns whether it is due to this failure that most markets fail now. */
  fail(symbol: string, error: ProviderError): boolean {
    const circuit = this.reported(symbol);
    const wasClosed = circuit.isClosed;
    circuit.fail(error);
    return wasClosed && !circuit.isClosed && this.mostFail();
  }

  private reported(symbol: string): Circuit {
    const circuit = this.find(symbol) ?? new Circuit({ limits: this.limits, now: this.now });
    this.markets.set(symbol, { circuit, reportedAt: this.now() });
    return circuit;
  }

  private mostFail(): boolean {
    const since = this.now() - RECENT_MS;
    const recent = [...this.markets.values()].filter(({ reportedAt }) => reportedAt >= since);
    const failing = recent.filter(({ circuit }) => !circuit.isClosed).length;
    return failing >= MIN_FAILING_MARKETS && failing > recent.length * MOST_MARKETS_SHARE;
  }
}
