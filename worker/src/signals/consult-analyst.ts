import type { TradingCosts } from "@shared/contract/trading-costs.ts";
import { ProviderError } from "../providers/provider-error.ts";
import {
  type AdviceReply,
  type Analyst,
  type CallUsage,
  type TokenUsage,
  totalUsage,
} from "./analyst.ts";
import { askAnalyst } from "./ask-analyst.ts";
import { type AdviceBounds, type CheckedAdvice, checkAdvice } from "./check-advice.ts";
import type { MarketBrief } from "./market-brief.ts";
import type { StageTimer } from "./stage-timer.ts";

/** One question to the analyst, its reply, and what the check said of it. */
export interface Exchange {
  /** Reasons for which the reply before was not accepted; empty for the first question. */
  corrections: string[];
  reply: AdviceReply;
  tries: number;
  /** Tokens of all tries; null where the analyst counts none. */
  usage: TokenUsage | null;
  checked: CheckedAdvice;
}

/** All that was said, oldest first; the last exchange decides. */
export interface Consultation {
  exchanges: Exchange[];
  last: Exchange;
  /** Tokens of all calls, also of those whose answer could not be read; null where the analyst counts none. */
  usage: TokenUsage | null;
}

/** What an analyst is told whose first reply was no advice at all. */
const UNREADABLE =
  "The answer could not be read; it must be one JSON object that follows the schema.";

/**
 * Asks the analyst and checks its advice. Advice that is not accepted, was cut off or could not be read is asked for
 * once more, with the reasons.
 * @throws ProviderError when the analyst gives no advice; the reason of `abort` once that fires
 */
export async function consultAnalyst(options: {
  analyst: Analyst;
  brief: MarketBrief;
  costs: TradingCosts;
  atr: number;
  chartImage: string | undefined;
  timer: StageTimer;
  onUsage: ((usage: CallUsage) => void) | undefined;
  abort: AbortSignal;
}): Promise<Consultation> {
  const { analyst, brief, costs, atr, chartImage, timer, onUsage, abort } = options;
  const { price, scale } = brief;
  const spent: TokenUsage[] = [];
  const countUsage = (usage: CallUsage) => {
    spent.push(usage);
    onUsage?.(usage);
  };
  const exchange = async (corrections: string[]): Promise<Exchange> => {
    const extras = { ...(chartImage !== undefined && { chartImage }), onUsage: countUsage };
    const answer = await timer.run("analysing", () =>
      askAnalyst(analyst, { brief, costs, corrections, abort, ...extras }),
    );
    const checked = await timer.run("checking", () =>
      checkReply(answer.reply, { price, atr, scale }),
    );
    return { corrections, checked, ...answer };
  };
  const first = await exchange([]).catch(nullIfUnreadable);
  if (first?.checked.accepted) {
    return { exchanges: [first], last: first, usage: totalUsage(spent) };
  }
  const reasons = first?.checked.accepted === false ? first.checked.reasons : [UNREADABLE];
  const last = await exchange(reasons);
  return { exchanges: first ? [first, last] : [last], last, usage: totalUsage(spent) };
}

function nullIfUnreadable(error: unknown): null {
  if (error instanceof ProviderError && error.failure === "nonsense") return null;
  throw error;
}

const checkReply = ({ advice, cutOff }: AdviceReply, bounds: AdviceBounds): CheckedAdvice =>
  cutOff === undefined ? checkAdvice(advice, bounds) : { accepted: false, reasons: [cutOff] };
