import type { AdviceReply, Analyst } from "./analyst.ts";
import { askAnalyst } from "./ask-analyst.ts";
import { type CheckedAdvice, checkAdvice } from "./check-advice.ts";
import type { MarketBrief } from "./market-brief.ts";
import type { StageTimer } from "./stage-timer.ts";

/** One question to the analyst, its reply, and what the check said of it. */
export interface Exchange {
  /** Reasons for which the reply before was not accepted; empty for the first question. */
  corrections: string[];
  reply: AdviceReply;
  tries: number;
  checked: CheckedAdvice;
}

/** All that was said, oldest first; the last exchange decides. */
export interface Consultation {
  exchanges: Exchange[];
  last: Exchange;
}

/**
 * Asks the analyst and checks its advice; advice that is not accepted is asked for once more, with the reasons.
 * @throws ProviderError when the analyst gives no advice; the reason of `abort` once that fires
 */
export async function consultAnalyst(options: {
  analyst: Analyst;
  brief: MarketBrief;
  atr: number;
  chartImage: string | undefined;
  timer: StageTimer;
  abort: AbortSignal;
}): Promise<Consultation> {
  const { analyst, brief, atr, chartImage, timer, abort } = options;
  const exchange = async (corrections: string[]): Promise<Exchange> => {
    const image = chartImage === undefined ? {} : { chartImage };
    const answer = await timer.run("analysing", () =>
      askAnalyst(analyst, { brief, corrections, abort, ...image }),
    );
    const { advice } = answer.reply;
    const checked = await timer.run("checking", () =>
      checkAdvice({ advice, price: brief.price, atr }),
    );
    return { corrections, checked, ...answer };
  };
  const first = await exchange([]);
  if (first.checked.accepted) return { exchanges: [first], last: first };
  const second = await exchange(first.checked.reasons);
  return { exchanges: [first, second], last: second };
}
