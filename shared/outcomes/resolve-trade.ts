import { DAY_MS } from "@shared/contract/constants.ts";
import { findInstrument, instrumentClass } from "@shared/contract/instruments.ts";
import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import type { Resolution } from "@shared/contract/resolution.ts";
import {
  DEFAULT_TRADING_COSTS,
  type TradingCosts,
  tradeCost,
} from "@shared/contract/resolution.ts";
import {
  applyCandle,
  asLong,
  type EntryOrder,
  type Exit,
  type FinerCandles,
  type LongTrade,
  type OpenTrade,
  type Trade,
  type TradeState,
} from "./simulate-trade.ts";

interface ResolveOptions {
  trade: Trade;
  /** Candles of the trade's timeframe, oldest first, from the one it was made in. Gaps are closed markets. */
  candles: readonly Candle[];
  finer: FinerCandles;
  /** Unix ms. Later candles are ignored. */
  now: number;
  costs: TradingCosts;
  /** Where to go on: what was decided before stays. */
  start?: TradeCourse | undefined;
  /** The published fill, which stays. */
  filled?: Fill | null | undefined;
}

/** A trade after the candles that were applied to it. */
export interface TradeCourse {
  state: TradeState;
  /** Candles that it was open in. */
  held: number;
  /** Close time of the last candle, Unix ms; null before the first. */
  through: number | null;
  lastClose: number;
}

/** The price and time at which a trade was entered; the time is the opening time of the candle that filled it. */
export interface Fill {
  price: number;
  at: Date;
}

/** What the closed candles decide. A fill stays the same from then on. */
interface TradeProgress {
  fill: Fill | null;
  resolution: Resolution | null;
  /** Null once it is resolved. */
  course: TradeCourse | null;
}

/**
 * Follows a BUY or a SELL through the market after it. Its resolution is null while it is open.
 *
 * - Only prices after the signal count. Of the candle it was made in, only later finer candles do.
 * - An entry within the usual spread of the last close is filled at the next open. Any other needs a trade beyond its
 * price before the signal expires (`EXPIRED`, `not-filled`).
 * - A touch of the stop is a `LOSS`, a trade beyond the target a `WIN`. A gap is executed at its open. Finer candles,
 * down to 1m, decide which came first; if they cannot, it is a `LOSS` (`both`).
 * - At the hold limit the trade is closed (`EXPIRED`, `hold-over`). Closed markets do not count.
 *
 * `resolved_at` is the close of the deciding candle of the signal's timeframe. Later runs and candles give the same
 * result.
 */
export async function followTrade(options: ResolveOptions): Promise<TradeProgress> {
  const { trade, filled, start = newCourse(trade) } = options;
  const followed = await followFrom(options, { course: start, since: trade.createdAt });
  if (!filled || isSameFill(followed.fill, filled) || start.state.phase === "open") return followed;
  const course = { ...start, state: openAt(trade, filled) };
  return followFrom(options, { course, since: filled.at.getTime() });
}

interface FollowedFrom {
  course: TradeCourse;
  /** Unix ms. Earlier prices do not count. */
  since: number;
}

async function followFrom(
  options: ResolveOptions,
  { course, since }: FollowedFrom,
): Promise<TradeProgress> {
  const { trade, candles, now, costs } = options;
  const lengthMs = TIMEFRAME_MS[trade.timeframe];
  const context: ResolveContext = { ...options, since, long: toLongTrade(trade) };
  let { held, through, lastClose } = course;
  let state: TradeState | Exit = course.state;
  for (const candle of candles) {
    const closesAt = candle.time + lengthMs;
    if (closesAt > now) break;
    if (closesAt <= Math.max(since, through ?? 0)) continue;
    state = await resolveCandle(context, { state, candle, timeframe: trade.timeframe });
    if (state.phase === "open") held += 1;
    lastClose = candle.close;
    through = closesAt;
    if (isDecided({ state, trade, held, closesAt })) {
      const decided = { trade, state, lastClose, resolvedAt: closesAt, costs };
      return { fill: fillOf(state), resolution: composeResolution(decided), course: null };
    }
  }
  if (state.phase === "closed") throw new Error("A closed trade was not decided.");
  return { fill: fillOf(state), resolution: null, course: { state, held, through, lastClose } };
}

const newCourse = ({ price }: Trade): TradeCourse => ({
  state: { phase: "waiting" },
  held: 0,
  through: null,
  lastClose: price,
});

function openAt(trade: Trade, { price, at }: Fill): TradeState {
  const fill = price * signOf(trade);
  return { phase: "open", fill, filledAt: at.getTime(), best: fill, worst: fill };
}

const isSameFill = (one: Fill | null, other: Fill): boolean =>
  one?.price === other.price && one.at.getTime() === other.at.getTime();

/** The resolution alone; see `followTrade`. */
export const resolveTrade = async (options: ResolveOptions): Promise<Resolution | null> =>
  (await followTrade(options)).resolution;

const fillOf = (state: TradeState | Exit): Fill | null =>
  state.phase === "waiting" ? null : { price: quoted(state.fill), at: new Date(state.filledAt) };

/** Whether the entry is filled at the next open: it is within the usual spread of the last close. */
export const isMarketEntry = ({
  symbol,
  entry,
  price,
}: Pick<Trade, "symbol" | "entry" | "price">): boolean =>
  Math.abs(entry - price) <= typicalSpread(symbol, price);

function isDecided(at: {
  state: TradeState | Exit;
  trade: Trade;
  held: number;
  closesAt: number;
}): boolean {
  const { state, trade, held, closesAt } = at;
  if (state.phase === "waiting") return closesAt >= Math.max(trade.validUntil, trade.createdAt);
  return state.phase === "closed" || held >= trade.holdCandles;
}

type ResolveContext = Pick<ResolveOptions, "trade" | "finer"> &
  Pick<FollowedFrom, "since"> & { long: LongTrade };

interface CandleContext {
  state: TradeState | Exit;
  candle: Candle;
  timeframe: Timeframe;
}

async function resolveCandle(
  context: ResolveContext,
  at: CandleContext,
): Promise<TradeState | Exit> {
  const { trade, long, since } = context;
  const { state, candle, timeframe } = at;
  const closesAt = candle.time + TIMEFRAME_MS[timeframe];
  const isWaiting = state.phase === "waiting";
  if (state.phase === "closed" || closesAt <= since) return state;
  if (isWaiting && candle.time >= trade.validUntil) return state;
  if (candle.time < since) return (await resolveParts(context, at)) ?? state;
  const input = {
    state,
    trade: long,
    candle: { ...asLong(trade.side, candle), time: candle.time },
  };
  const step = applyCandle({ ...input, isFinest: false });
  const mayBeLate = isWaiting && step.phase !== "waiting" && closesAt > trade.validUntil;
  if (mayBeLate) return (await resolveParts(context, at)) ?? state;
  if (step.phase !== "unclear") return step;
  const inParts = await resolveParts(context, at);
  if (inParts) return inParts;
  const settled = applyCandle({ ...input, isFinest: true });
  return settled.phase === "unclear" ? state : settled;
}

/** The trade after the finer candles of one candle; null if there are none. */
async function resolveParts(
  context: ResolveContext,
  at: CandleContext,
): Promise<TradeState | Exit | null> {
  const parts = await context.finer(at.candle, at.timeframe);
  if (!parts) return null;
  let { state } = at;
  for (const candle of parts.candles) {
    state = await resolveCandle(context, { state, candle, timeframe: parts.timeframe });
  }
  return state;
}

function toLongTrade({ side, ...trade }: Trade): LongTrade {
  const sign = side === "BUY" ? 1 : -1;
  const entry = sign * trade.entry;
  const stopLoss = sign * trade.stopLoss;
  const takeProfit = sign * trade.takeProfit;
  const price = sign * trade.price;
  const order = isMarketEntry(trade) ? "market" : awayOrder({ entry, price });
  return { ...trade, entry, stopLoss, takeProfit, price, order };
}

const awayOrder = ({ entry, price }: Pick<Trade, "entry" | "price">): EntryOrder =>
  entry < price ? "limit" : "stop";

const R_DECIMALS = 4;
/** Removes binary noise: no market quotes that many digits. */
const PRICE_DIGITS = 12;

interface Decided {
  trade: Trade;
  state: TradeState | Exit;
  lastClose: number;
  /** Unix ms. */
  resolvedAt: number;
  costs: TradingCosts;
}

function composeResolution(decided: Decided): Resolution {
  const { state, trade, lastClose, resolvedAt, costs } = decided;
  const resolved_at = isoTime(resolvedAt);
  if (state.phase === "closed") {
    const outcome = state.reason === "target" ? "WIN" : "LOSS";
    return { outcome, reason: state.reason, resolved_at, ...resultOf(decided, state) };
  }
  if (state.phase === "waiting") {
    return { outcome: "EXPIRED", reason: "not-filled", resolved_at, ...NO_TRADE, costs };
  }
  const exit = lastClose * signOf(trade);
  const end = { ...state, exit, exitedAt: resolvedAt };
  return { outcome: "EXPIRED", reason: "hold-over", resolved_at, ...resultOf(decided, end) };
}

/** When a trade ends if no more candles come, Unix ms: at its hold limit. */
export function holdLimitAt(trade: Trade, course: TradeCourse = newCourse(trade)): number {
  const { timeframe, createdAt, holdCandles, validUntil } = trade;
  const lengthMs = TIMEFRAME_MS[timeframe];
  const madeIn = Math.floor(createdAt / lengthMs) * lengthMs;
  const { state, held, through } = course;
  if (state.phase === "open") return (through ?? madeIn) + (holdCandles - held) * lengthMs;
  return Math.max(madeIn + holdCandles * lengthMs, validUntil);
}

/** How long a market may be without candles before another provider decides, or the trade ends without. */
export const MAX_SILENCE_MS = DAY_MS;

/** Ends a trade whose market has no candles any more, at the last known close. */
export function expireWithoutData(options: {
  trade: Trade;
  course?: TradeCourse | undefined;
  filled?: Fill | null | undefined;
  costs: TradingCosts;
}): Resolution {
  const { trade, course = newCourse(trade), filled, costs } = options;
  const isOpen = course.state.phase === "open" || !filled;
  const state = isOpen ? course.state : openAt(trade, filled);
  const { through, lastClose } = course;
  const knownUntil = through ?? trade.createdAt;
  const ended = {
    outcome: "EXPIRED",
    reason: "no-data",
    resolved_at: isoTime(holdLimitAt(trade, { ...course, state }) + MAX_SILENCE_MS),
    known_until: isoTime(knownUntil),
  } as const;
  if (state.phase === "waiting") return { ...ended, ...NO_TRADE, costs };
  const exit = lastClose * signOf(trade);
  const exitedAt = Math.max(knownUntil, state.filledAt);
  const end = { ...state, exit, exitedAt };
  const decided = { trade, state, lastClose, resolvedAt: exitedAt, costs };
  return { ...ended, ...resultOf(decided, end) };
}

const NO_TRADE = {
  filled_at: null,
  fill: null,
  exited_at: null,
  exit: null,
  r_multiple: null,
  max_favourable_r: null,
  max_adverse_r: null,
} as const;

/** R is the distance from the planned entry to the stop, whatever the fill, because the position was sized by it. */
function resultOf(
  { trade, costs }: Decided,
  end: Omit<OpenTrade, "phase"> & { exit: number; exitedAt: number },
): Omit<Resolution, "outcome" | "reason" | "resolved_at"> {
  const { fill, exit, best, worst, filledAt, exitedAt } = end;
  const risk = Math.abs(trade.entry - trade.stopLoss);
  const cost = tradeCost({ fill: Math.abs(fill), exit: Math.abs(exit) }, costs);
  return {
    filled_at: isoTime(filledAt),
    fill: quoted(fill),
    exited_at: isoTime(exitedAt),
    exit: quoted(exit),
    r_multiple: rounded((exit - fill - cost) / risk),
    max_favourable_r: rounded(Math.max(best - fill, 0) / risk),
    max_adverse_r: rounded(Math.max(fill - worst, 0) / risk),
    costs,
  };
}

const signOf = ({ side }: Trade): number => (side === "BUY" ? 1 : -1);
const isoTime = (timeMs: number): string => new Date(timeMs).toISOString();
/** A long trade has negated prices for a SELL. */
const quoted = (price: number): number => Number(Math.abs(price).toPrecision(PRICE_DIGITS));
/** Adding 0 avoids -0. */
const rounded = (value: number): number => Number(value.toFixed(R_DECIMALS)) + 0;

/**
 * Returns true if finer candles, oldest first, match `candle` within the usual spread. Candles of other venues, or
 * with gaps, do not.
 */
export function coversCandle(
  parts: readonly Candle[],
  { candle, symbol }: { candle: Candle; symbol: string },
): boolean {
  const [first] = parts;
  const last = parts.at(-1);
  if (!first || !last) return false;
  const tolerance = typicalSpread(symbol, candle.close);
  const isClose = (one: number, other: number) => Math.abs(one - other) <= tolerance;
  return (
    isClose(first.open, candle.open) &&
    isClose(last.close, candle.close) &&
    isClose(Math.max(...parts.map(({ high }) => high)), candle.high) &&
    isClose(Math.min(...parts.map(({ low }) => low)), candle.low)
  );
}

/**
 * Usual spread at `price` in the quote currency: that of the instrument's class, at least one tick. It does not
 * depend on settings, so that outcomes can be recomputed.
 */
function typicalSpread(symbol: string, price: number): number {
  const { spread_percent: percent } = DEFAULT_TRADING_COSTS[instrumentClass(symbol)];
  return Math.max((price * percent) / 100, findInstrument(symbol)?.tick ?? 0);
}
