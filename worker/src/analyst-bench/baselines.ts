import { createHash } from "node:crypto";
import { type Advice, type Analyst, NO_TRADE } from "../analysis/analyst.ts";
import type { MarketBrief } from "../analysis/market-brief.ts";
import { roundToTick } from "../analysis/market-brief.ts";

/** Changes with every change of the baselines. */
const VERSION = 1;

/** Stop of the Turtles, 2 ATR (Faith, "Way of the Turtle", 2007), and twice that as target; of all baselines. */
const LEVELS = { stopAtr: 2, targetAtr: 4, holdCandles: 24 } as const;

const CHANNEL_CANDLES = 20;
const MOMENTUM_CANDLES = 100;

/** One candle in this many, as a breakout is about that rare. */
const RANDOM_EVERY = 4;

type Side = "BUY" | "SELL";

/** What a fixed rule that knows nothing of the market's future does at the close of a candle. */
export interface Baseline {
  id: string;
  label: string;
  analyst: Analyst;
  model: string;
  /** Candles that it has to see. */
  limit: number;
}

/** Built in and free: what is not better than these is no analyst. */
export const BASELINES: readonly Baseline[] = [
  baseline({
    id: "donchian-20",
    label: "Donchian 20",
    limit: CHANNEL_CANDLES + 1,
    says: `A close beyond all prices of the last ${CHANNEL_CANDLES} candles.`,
    side: breakout,
  }),
  baseline({
    id: "momentum-100",
    label: "Momentum 100",
    limit: MOMENTUM_CANDLES + 1,
    says: `With the change over the last ${MOMENTUM_CANDLES} candles.`,
    side: momentum,
  }),
  baseline({
    id: "random",
    label: "Random",
    limit: CHANNEL_CANDLES,
    says: "Chosen at random.",
    side: randomSide,
  }),
];

/** Buys above the high of the last 20 candles, sells below their low (Donchian's channel). */
function breakout({ candles, price }: MarketBrief): Side | null {
  const before = candles.slice(-CHANNEL_CANDLES - 1, -1);
  if (before.length < CHANNEL_CANDLES) return null;
  if (price > Math.max(...before.map(({ high }) => high))) return "BUY";
  return price < Math.min(...before.map(({ low }) => low)) ? "SELL" : null;
}

function momentum({ candles, price }: MarketBrief): Side | null {
  const earlier = candles.at(-MOMENTUM_CANDLES - 1);
  if (!earlier || earlier.close === price) return null;
  return price > earlier.close ? "BUY" : "SELL";
}

/** By a hash of the market and its candle, so that every worker draws the same. */
function randomSide({ symbol, timeframe, lastCandleAt }: MarketBrief): Side | null {
  const drawn = createHash("sha256").update(`${symbol} ${timeframe} ${lastCandleAt}`).digest();
  if (drawn.readUInt32BE(0) % RANDOM_EVERY !== 0) return null;
  return drawn.readUInt32BE(4) % 2 === 0 ? "BUY" : "SELL";
}

function baseline(rule: {
  id: string;
  label: string;
  limit: number;
  says: string;
  side: (brief: MarketBrief) => Side | null;
}): Baseline {
  const { id, label, limit, says, side } = rule;
  const analyst: Analyst = {
    name: "rules",
    version: `${id}/${VERSION}`,
    async advise({ brief }) {
      const advice = adviceOf(brief, side(brief), says);
      return { advice, model: id, prompt: id, rawReply: advice.final_signal };
    },
  };
  return { id, label, analyst, model: id, limit };
}

function adviceOf(brief: MarketBrief, side: Side | null, says: string): Advice {
  const words = {
    key_evidence: [],
    counter_evidence: [],
    market_condition: "Not judged",
    what_to_watch_for: [],
  };
  const { price, scale, indicators } = brief;
  const atr = indicators.atr14 ?? 0;
  if (side === null) return { ...NO_TRADE, ...words, rationale: "No trade by this rule." };
  const sign = side === "BUY" ? 1 : -1;
  const level = (distanceAtr: number) => roundToTick(price + sign * distanceAtr * atr, scale);
  const { stopAtr, targetAtr, holdCandles } = LEVELS;
  return {
    ...words,
    final_signal: side,
    // That of the levels: it claims nothing.
    confidence: Math.round((1_000 * stopAtr) / (stopAtr + targetAtr)) / 10,
    entry: price,
    stop_loss: level(-stopAtr),
    take_profit: level(targetAtr),
    rationale: says,
    suggested_hold: `${holdCandles} candles`,
    hold_candles: holdCandles,
    trade_duration_text: `${holdCandles} candles`,
  };
}
