import type { ModelTestResult } from "@shared/contract/admin.ts";
import { SIGNAL_DEFAULTS } from "@shared/contract/constants.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { ProviderError, type ProviderFailure } from "../market-data/market-data.ts";
import { createReplayMarketData } from "../market-data/replay/replay-market-data.ts";
import { generateSignal } from "./analyse-market.ts";
import { type Analyst, type TokenUsage, totalUsage } from "./analyst.ts";
import type { SignalProvenance } from "./provenance.ts";

/** The market is the same in every test. */
const RECORDED_AT = Date.UTC(2026, 0, 5, 12);

/** `npm run check-model` ends within a minute, whatever the server does. */
const TEST_TIMEOUT_MS = 50_000;

/** What may fix a failure that names no setting. */
const REMEDIES: Record<ProviderFailure, string> = {
  unreachable: "Check OPENAI_BASE_URL.",
  timeout: "Check OPENAI_BASE_URL and OPENAI_TIMEOUT_S.",
  nonsense: "Another OPENAI_MODEL may do.",
  "rate-limited": "The server of OPENAI_BASE_URL limits requests. Try again later.",
  refused: "Check OPENAI_BASE_URL and OPENAI_MODEL.",
  "unknown-symbol": "",
};

interface TestOptions {
  abort: AbortSignal;
  /** Milliseconds. */
  now: () => number;
  timeoutMs?: number;
}

/** One analysis of recorded candles, as for a signal. The failure of the model is a result, not an error. */
export async function testModel(
  analyst: Analyst,
  { abort, now, timeoutMs = TEST_TIMEOUT_MS }: TestOptions,
): Promise<ModelTestResult> {
  const startedAt = now();
  const spent: TokenUsage[] = [];
  const deadline = AbortSignal.any([abort, AbortSignal.timeout(timeoutMs)]);
  const lasting = rememberFailure(analyst);
  const found = await generateSignal({
    request: SIGNAL_DEFAULTS,
    marketData: createReplayMarketData({ now: () => RECORDED_AT }),
    analyst: lasting.analyst,
    costs: DEFAULT_TRADING_COSTS.crypto,
    asksAlways: true,
    now: () => RECORDED_AT,
    abort: deadline,
    onUsage: (usage) => spent.push(usage),
  }).then(
    ({ provenance }) => judge(provenance.calls),
    (error: unknown) => {
      abort.throwIfAborted();
      const failure = deadline.aborted ? lasting.failure() : error;
      return { is_usable: false, detail: describeFailure(failure, timeoutMs), answers: 0 };
    },
  );
  const usage = totalUsage(spent);
  return {
    ...found,
    prompt_tokens: usage?.promptTokens ?? null,
    completion_tokens: usage?.completionTokens ?? null,
    cost_usd: usage?.costUsd ?? null,
    latency_ms: Math.round(now() - startedAt),
  };
}

/** The deadline may end the pause before another call: the call that failed before says more. */
function rememberFailure(analyst: Analyst) {
  let last: unknown = null;
  return {
    failure: () => last,
    analyst: {
      name: analyst.name,
      version: analyst.version,
      advise: (request) =>
        analyst.advise(request).catch((error: unknown) => {
          if (!request.abort.aborted) last = error;
          throw error;
        }),
    } satisfies Analyst,
  };
}

function judge(calls: SignalProvenance["calls"]) {
  const answers = calls.length;
  const last = calls.at(-1);
  if (!last || last.rejectedFor.length === 0) {
    const after = answers > 1 ? " after one correction" : "";
    return { is_usable: true, detail: `The advice passed all checks${after}.`, answers };
  }
  const remedy = last.cutOff
    ? "Raise OPENAI_MAX_OUTPUT_TOKENS."
    : "Such signals are WAITs. Another OPENAI_MODEL may do.";
  const reasons = last.rejectedFor.join(" ");
  return {
    is_usable: false,
    detail: `The advice was rejected twice: ${reasons} ${remedy}`,
    answers,
  };
}

function describeFailure(error: unknown, timeoutMs: number): string {
  if (error === null) {
    return `No answer within ${timeoutMs / 1_000} s. ${REMEDIES.timeout}`;
  }
  if (!(error instanceof ProviderError)) throw error;
  const said = error.message.replace(`${error.provider}: `, "");
  const sentence = `${said.charAt(0).toUpperCase()}${said.slice(1)}`.replace(/\.?$/, ".");
  return sentence.includes("OPENAI_") ? sentence : `${sentence} ${REMEDIES[error.failure]}`;
}
