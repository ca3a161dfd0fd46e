/** The one JSON object that the product asks a model for. */
export interface StandInAdvice {
  final_signal: "BUY" | "SELL" | "WAIT";
  confidence: number;
  entry: number | null;
  stop_loss: number | null;
  take_profit: number | null;
  rationale: string;
  key_evidence: string[];
  market_condition: string;
  what_to_watch_for: string[];
  suggested_hold: string;
  hold_candles?: number | null;
  trade_duration_text: string;
  /** Only where a chart picture was sent. */
  chart_symbol?: string | null;
  chart_last_price?: number | null;
  chart_timeframe?: string | null;
}

const STOP_ATR = { usual: 1.5, max: 9 } as const;
/** Least distance of the stop in percent of the price, within `STOP_ATR.max`: nearer, the costs of a crypto trade forbid it. */
const MIN_STOP_PERCENT = 0.8;
const REWARD_TO_RISK = 2;

/**
 * Sound advice to buy, with levels from the close and the ATR that the prompt names; from a price
 * of 100 and an ATR of 1 where it names none.
 */
export function adviceForPrompt(prompt: string): StandInAdvice {
  const price = figureAfter(/last close:?\s*/i, prompt) ?? 100;
  const atr = figureAfter(/atr\s*\(14\):?\s*/i, prompt) ?? price / 100;
  const risk = Math.min(
    Math.max(STOP_ATR.usual * atr, (price * MIN_STOP_PERCENT) / 100),
    STOP_ATR.max * atr,
  );
  return {
    final_signal: "BUY",
    confidence: 72,
    entry: price,
    stop_loss: price - risk,
    take_profit: price + REWARD_TO_RISK * risk,
    rationale: "Price holds above its averages and momentum is rising.",
    key_evidence: ["Close above EMA 20", "RSI above 50"],
    market_condition: "uptrend",
    what_to_watch_for: ["A close below the stop"],
    suggested_hold: "4 to 12 hours",
    hold_candles: 12,
    trade_duration_text: "4 to 12 hours",
  };
}

function figureAfter(label: RegExp, text: string): number | undefined {
  const match = new RegExp(`${label.source}(\\d+(?:\\.\\d+)?)`, label.flags).exec(text);
  return match ? Number(match[1]) : undefined;
}
