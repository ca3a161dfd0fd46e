import { isFilledBefore } from "@shared/contract/earlier-fill.ts";
import { formatPrice } from "@shared/contract/price.ts";
import type { EntryLeft, Filled, Outcome } from "@shared/contract/signal.ts";
import { isMarketEntry } from "@shared/outcomes/resolve-trade.ts";
import { formatR } from "../../lib/format.ts";
import type { CurrentPrice } from "../../lib/realtime/live-prices.ts";
import type { TradeLevels } from "./levels.ts";

/** What is known of a trade. Everything but the levels comes from closed candles. */
export interface FollowedTrade {
  symbol: string;
  levels: TradeLevels;
  /** Whether it was made of replayed candles, which live prices do not continue; null if that is not known. */
  isReplayed: boolean | null;
  /** When the user asked for the signal. Another user may have had the analysis earlier. */
  askedAt: string;
  /** The last close when the signal was made; null if it is not known. */
  signalPrice: number | null;
  validUntil: string | null;
  filled: Filled | null;
  entryLeft: EntryLeft | null;
  outcome: Outcome | null;
  /** The result of a resolved trade, once it is read. */
  r: number | null;
  /** Whether it ended without prices, so that it is unknown whether it was filled. */
  isFillUnknown?: boolean;
}

type Tone = "accent" | "buy" | "sell" | "wait" | "neutral";

/** A step of the timeline. A provisional one is what the live price says, until candles confirm it. */
export interface TradeStep {
  name: string;
  detail: string | null;
  /** ISO time of what has happened. */
  at: string | null;
  state: "done" | "provisional" | "waiting";
  tone: Tone;
}

interface FollowedProgress {
  steps: TradeStep[];
  /** The state of an open trade in a few words, for the title of the tab. */
  title: string | null;
}

/** Share of the way between entry and level. */
const NEAR = 0.2;

/** How far a trade has come after its signal. A resolved outcome counts, whatever the live price is. */
export function followTrade(
  trade: FollowedTrade,
  live: CurrentPrice | null,
  now: Date,
): FollowedProgress {
  const entry = entryStep(trade, live?.isStale ? null : live, now);
  if (trade.outcome) return { steps: [entry, outcomeStep(trade, trade.outcome)], title: null };
  const fill = trade.filled?.price ?? (entry.state === "provisional" ? trade.levels.entry : null);
  const isEntered = fill !== null && entry.name !== NOT_ENTERED;
  const open = openStep(trade.levels, isEntered ? fill : null, live);
  const waiting = step({ name: "Outcome", detail: "Not resolved yet" });
  return { steps: [entry, open, waiting], title: titleOf(entry, open) };
}

const NOT_ENTERED = "Not entered";
const IN_MARKET = "In the market";

const step = (fields: Partial<TradeStep> & Pick<TradeStep, "name">): TradeStep => ({
  detail: null,
  at: null,
  state: "waiting",
  tone: "neutral",
  ...fields,
});

function entryStep(trade: FollowedTrade, live: CurrentPrice | null, now: Date): TradeStep {
  const { filled, entryLeft, outcome, validUntil } = trade;
  if (filled) {
    const detail = `at ${formatPrice(filled.price)}`;
    const look = isFilledBefore(filled.at, trade.askedAt)
      ? ({ name: "Filled before you asked", tone: "wait" } as const)
      : ({ name: "Filled", tone: "accent" } as const);
    return step({ ...look, detail, at: filled.at, state: "done" });
  }
  if (entryLeft) {
    const detail = `at ${formatPrice(entryLeft.price)}`;
    return step({ name: "Entry missed", detail, at: entryLeft.at, state: "done", tone: "wait" });
  }
  if (outcome === "WIN" || outcome === "LOSS") {
    return step({ name: "Filled", state: "done", tone: "accent" });
  }
  if (outcome) return step({ name: trade.isFillUnknown ? "Unknown" : "Not filled", state: "done" });
  if (isReached(trade, live)) {
    const name = "Entry reached";
    return step({ name, detail: "provisional", state: "provisional", tone: "accent" });
  }
  if (validUntil && Date.parse(validUntil) <= now.getTime()) {
    return step({ name: NOT_ENTERED, detail: "provisional", state: "provisional", tone: "wait" });
  }
  return step({ name: "Waiting for entry" });
}

/** Entered at the market, or the price is beyond the entry, as seen from the price of the signal. */
function isReached(trade: FollowedTrade, live: CurrentPrice | null): boolean {
  const { symbol, levels, signalPrice } = trade;
  if (signalPrice === null || !live) return false;
  const { entry } = levels;
  if (isMarketEntry({ symbol, entry, price: signalPrice })) return true;
  return (signalPrice - entry) * (live.price - entry) < 0;
}

function openStep(levels: TradeLevels, fill: number | null, live: CurrentPrice | null): TradeStep {
  if (fill === null || !live) return step({ name: IN_MARKET, ...(fill !== null && OPEN_NOW) });
  const r = unrealizedR(levels, { fill, price: live.price });
  const detail = `${formatR(r)}${live.isStale ? ", price not current" : " unrealized"}`;
  const place = live.isStale ? null : nearLevel(levels, live.price);
  const tone = place?.tone ?? (r < 0 ? "sell" : "buy");
  return step({ name: place?.name ?? IN_MARKET, detail, state: "provisional", tone });
}

const OPEN_NOW = { state: "done", tone: "accent" } as const;

/** In units of the risk that the position was sized by, before costs. */
export function unrealizedR(
  { entry, stopLoss }: TradeLevels,
  { fill, price }: { fill: number; price: number },
): number {
  const risk = entry - stopLoss;
  return risk === 0 ? 0 : (price - fill) / risk;
}

/** The level that the price is at or near: within a fifth of the way to it. */
export function nearLevel(
  { entry, stopLoss, takeProfit }: TradeLevels,
  price: number,
): { name: string; tone: Tone } | null {
  const left = (level: number) => (entry === level ? 1 : (price - level) / (entry - level));
  const toStop = left(stopLoss);
  const toTarget = left(takeProfit);
  if (toStop <= 0) return { name: "Stop loss reached", tone: "sell" };
  if (toTarget < 0) return { name: "Take profit reached", tone: "buy" };
  if (toStop <= NEAR) return { name: "Near stop loss", tone: "sell" };
  return toTarget <= NEAR ? { name: "Near take profit", tone: "buy" } : null;
}

const outcomes = {
  WIN: { name: "Won", tone: "buy" },
  LOSS: { name: "Lost", tone: "sell" },
  EXPIRED: { name: "Expired", tone: "neutral" },
} as const;

const outcomeStep = ({ r }: FollowedTrade, outcome: Outcome): TradeStep =>
  step({ ...outcomes[outcome], detail: r === null ? null : formatR(r), state: "done" });

/** The result so far, or how far the entry is. */
function titleOf(entry: TradeStep, { detail, state }: TradeStep): string | null {
  if (state === "provisional" && detail) return detail.replace(/ R.*$/, " R");
  return entry.state === "waiting" ? null : entry.name;
}
