import { createLogger } from "@shared/runtime/logger.ts";
import type { CcxtLimits } from "../market-data/ccxt/ccxt-market-data.ts";
import type { GuardLimits } from "../market-data/circuit-breaker.ts";

const GENEROUS = { headersTimeoutMs: 10_000, totalTimeoutMs: 10_000, maxBytes: 2_000_000 };
const NO_HEADERS = { ...GENEROUS, headersTimeoutMs: 250 };
const NO_BODY = { ...GENEROUS, totalTimeoutMs: 250 };

/** Limits that a slow machine does not reach, and limits that make stalls visible quickly. */
export const CCXT_LIMITS = {
  generous: { candles: GENEROUS, markets: GENEROUS },
  stalledHeaders: { candles: NO_HEADERS, markets: GENEROUS },
  stalledBody: { candles: NO_BODY, markets: GENEROUS },
  stalledMarkets: { candles: GENEROUS, markets: NO_BODY },
} satisfies Record<string, CcxtLimits>;

export const GUARD_LIMITS: GuardLimits = {
  timeShareMs: 10_000,
  retryDelayMs: 1,
  failuresToRest: 3,
  restMs: 60_000,
};

export const silentLogger = createLogger({ service: "test", level: "silent" });

export function patient(): AbortSignal {
  return new AbortController().signal;
}
