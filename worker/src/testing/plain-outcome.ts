import { instrumentClass } from "@shared/contract/instruments.ts";
import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import {
  DEFAULT_TRADING_COSTS,
  type Resolution,
  type TradingCosts,
} from "@shared/contract/resolution.ts";
import type { Trade } from "@shared/outcomes/simulate-trade.ts";

/** What the rules say about a trade, as its record must say it. */
export type PlainOutcome = Pick<
  Resolution,
  "outcome" | "fill" | "exit" | "r_multiple" | "resolved_at"
> & { reason: string };

interface PlainOptions {
  trade: Trade;
  /** All minutes in which there were trades, oldest first, from before the trade to the last one ever. */
  minutes: readonly Candle[];
  /** Those of another provider, whose candles count from a time on. */
  then?: { minutes: readonly Candle[]; from: number };
  costs: TradingCosts;
}

/**
 * The outcome of a trade by the complete series of its market: written from the rules of the documents, to compare with
 * what the product finds. It tries every course that the price can have taken within a candle, and looks at the minutes
 * of a candle where these end differently. Null if the series ends before.
 */
export function plainOutcome(options: PlainOptions): PlainOutcome | null {
  const { trade, costs } = options;
  let held = 0;
  for (const { candle, position, end } of courseOf(options)) {
    if (position.exit !== null) return closed({ trade, costs, position, at: end });
    if (position.fill !== null) held += 1;
    if (held === trade.holdCandles) {
      const exit = { exit: candle.close, reason: "hold-over" } as const;
      return closed({ trade, costs, position: { ...position, ...exit }, at: end });
    }
    if (position.fill === null && end >= Math.max(trade.validUntil, trade.createdAt)) {
      return closed({ trade, costs, position: { ...position, reason: "not-filled" }, at: end });
    }
  }
  return null;
}

/** That of a trade whose market has gone: closed at the last close, wherever it stood. */
export function plainOutcomeWithoutData(options: PlainOptions): PlainOutcome {
  const { trade, costs } = options;
  const last = courseOf(options).at(-1);
  const position = last?.position ?? NOT_FILLED;
  const exit = position.fill === null ? null : (last?.candle.close ?? null);
  const at = last?.end ?? trade.createdAt;
  return closed({ trade, costs, position: { ...position, exit, reason: "no-data" }, at });
}

interface Passed {
  candle: Candle;
  end: number;
  /** After the candle. */
  position: Position;
}

/** The candles since the trade, and how it stands after each. */
function courseOf({ trade, minutes, then }: PlainOptions): Passed[] {
  const lengthMs = TIMEFRAME_MS[trade.timeframe];
  const openedAt = Math.floor(trade.createdAt / lengthMs) * lengthMs;
  const first = candlesFrom(minutes, openedAt, trade.timeframe);
  const second = then ? candlesFrom(then.minutes, then.from, trade.timeframe) : [];
  const order = plainOrder(trade);
  const passed: Passed[] = [];
  let position = NOT_FILLED;
  for (const { candle, within } of [...first, ...second]) {
    const end = candle.time + lengthMs;
    if (end <= trade.createdAt) continue;
    position = passCandle({ order, trade, position, candle, within });
    passed.push({ candle, end, position });
    if (position.exit !== null) break;
  }
  return passed;
}

interface CandleInMinutes {
  candle: Candle;
  /** Its minutes. */
  within: readonly Candle[];
}

/** Nothing was traded between the last minute before `from` and the next one. */
function candlesFrom(
  minutes: readonly Candle[],
  from: number,
  timeframe: Timeframe,
): CandleInMinutes[] {
  const before = minutes.findLastIndex(({ time }) => time < from);
  const known = minutes.slice(Math.max(before, 0));
  const allMinutes = completeCandles(known, "1m");
  const startedAt = allMinutes[0]?.time ?? 0;
  const count = TIMEFRAME_MS[timeframe] / TIMEFRAME_MS["1m"];
  return completeCandles(known, timeframe)
    .filter(({ time }) => time >= from)
    .map((candle) => {
      const index = (candle.time - startedAt) / TIMEFRAME_MS["1m"];
      return { candle, within: allMinutes.slice(Math.max(index, 0), index + count) };
    });
}

interface Position {
  fill: number | null;
  exit: number | null;
  reason: "target" | "stop" | "both" | "hold-over" | "not-filled" | "no-data" | null;
}

const NOT_FILLED: Position = { fill: null, exit: null, reason: null };

/** Time without trades stands as flat candles at the last close. */
export function completeCandles(minutes: readonly Candle[], timeframe: Timeframe): Candle[] {
  const lengthMs = TIMEFRAME_MS[timeframe];
  const candles: Candle[] = [];
  for (const minute of minutes) {
    const time = Math.floor(minute.time / lengthMs) * lengthMs;
    const last = candles.at(-1);
    if (last?.time === time) {
      last.high = Math.max(last.high, minute.high);
      last.low = Math.min(last.low, minute.low);
      last.close = minute.close;
      last.volume += minute.volume;
      continue;
    }
    for (
      let missing = (last?.time ?? time) + lengthMs;
      last && missing < time;
      missing += lengthMs
    ) {
      const { close } = last;
      candles.push({ time: missing, open: close, high: close, low: close, close, volume: 0 });
    }
    candles.push({ ...minute, time });
  }
  return candles;
}

type OrderKind = "at the market" | "better price" | "worse price";

interface PlainOrder {
  kind: OrderKind;
  /** 1 for a BUY, -1 for a SELL, with which all prices below are multiplied. */
  sign: number;
  entry: number;
  stop: number;
  target: number;
}

/** An entry within the usual spread of the last close is one at the market. */
function plainOrder({ side, symbol, entry, price, stopLoss, takeProfit }: Trade): PlainOrder {
  const sign = side === "BUY" ? 1 : -1;
  const spread = (price * DEFAULT_TRADING_COSTS[instrumentClass(symbol)].spread_percent) / 100;
  const isBetter = sign * entry < sign * price;
  const away = isBetter ? "better price" : "worse price";
  const kind = Math.abs(entry - price) <= spread ? "at the market" : away;
  return { kind, sign, entry: sign * entry, stop: sign * stopLoss, target: sign * takeProfit };
}

interface CandlePass {
  order: PlainOrder;
  trade: Trade;
  position: Position;
  candle: Candle;
  /** Its minutes. */
  within: readonly Candle[];
}

/** Minutes decide where the candle leaves a doubt: who came first, and whether it was in time. */
function passCandle(pass: CandlePass): Position {
  const { trade, position, candle } = pass;
  const end = candle.time + TIMEFRAME_MS[trade.timeframe];
  if (position.fill === null && candle.time >= trade.validUntil) return position;
  const [first = position, ...others] = endings(pass, candle);
  const isFilledNow = position.fill === null && first.fill !== null;
  const isClear =
    others.length === 0 &&
    candle.time >= trade.createdAt &&
    !(isFilledNow && end > trade.validUntil);
  return isClear ? first : passMinutes(pass);
}

function passMinutes(pass: CandlePass): Position {
  const { trade, within } = pass;
  let { position } = pass;
  for (const minute of within) {
    const isLate = minute.time + TIMEFRAME_MS["1m"] > trade.validUntil;
    if (minute.time < trade.createdAt || position.exit !== null) continue;
    if (position.fill === null && isLate) continue;
    position = worst(endings({ ...pass, position }, minute));
  }
  return position;
}

/** Doubt counts against the trade. */
function worst(all: readonly Position[]): Position {
  const stopped = all.find(({ reason }) => reason === "stop");
  const paid = all.find(({ reason }) => reason === "target");
  const open = all.find(({ exit }) => exit === null);
  if (stopped) return { ...stopped, reason: paid ? "both" : "stop" };
  return open ?? paid ?? NOT_FILLED;
}

/** All different ways in which a candle can end for a position. */
function endings({ order, position }: CandlePass, candle: Candle): Position[] {
  const { sign } = order;
  const [open, close] = [sign * candle.open, sign * candle.close];
  const [high, low] = [Math.max(sign * candle.high, sign * candle.low), lowOf(candle, sign)];
  const turn = turnAfterEntry(order, { high, low });
  const courses = [
    [high, low],
    [low, high],
    ...(turn === null
      ? []
      : [
          [turn, high, low],
          [turn, low, high],
        ]),
  ];
  const found = courses.map((turns) => follow(order, position, [open, ...turns, close]));
  return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
}

const lowOf = ({ high, low }: Candle, sign: number) => Math.min(sign * high, sign * low);

/** A price just beyond the entry, at which the price may have turned before it reached the stop or the target. */
function turnAfterEntry(
  { kind, entry, stop, target }: PlainOrder,
  { high, low }: { high: number; low: number },
): number | null {
  if (kind === "better price" && low < entry) return (entry + Math.max(low, stop)) / 2;
  if (kind === "worse price" && high > entry) return (entry + Math.min(high, target)) / 2;
  return null;
}

/** One course of the price, from turn to turn. The entry and the target need a price beyond them, the stop a touch. */
function follow(order: PlainOrder, before: Position, course: readonly number[]): Position {
  const [open = 0, ...turns] = course;
  if (isPassed(order, before, open) && open >= order.target) return before;
  let position = enter(order, before, { price: open, at: open });
  position = leave(order, position, { price: open, stoppedAt: open, paidAt: open });
  for (const price of turns) {
    position = enter(order, position, { price, at: order.entry });
    position = leave(order, position, { price, stoppedAt: order.stop, paidAt: order.target });
  }
  return position;
}

function isPassed({ kind, entry }: PlainOrder, { fill }: Position, price: number): boolean {
  if (fill !== null) return false;
  if (kind === "at the market") return true;
  return kind === "better price" ? price < entry : price > entry;
}

function enter(
  order: PlainOrder,
  position: Position,
  { price, at }: { price: number; at: number },
): Position {
  return isPassed(order, position, price) ? { ...position, fill: order.sign * at } : position;
}

function leave(
  { sign, stop, target }: PlainOrder,
  position: Position,
  { price, stoppedAt, paidAt }: { price: number; stoppedAt: number; paidAt: number },
): Position {
  if (position.fill === null || position.exit !== null) return position;
  if (price <= stop) return { ...position, exit: sign * stoppedAt, reason: "stop" };
  return price > target ? { ...position, exit: sign * paidAt, reason: "target" } : position;
}

const OUTCOMES: Readonly<Record<string, PlainOutcome["outcome"]>> = {
  target: "WIN",
  stop: "LOSS",
  both: "LOSS",
};

/** The result is net of costs, in multiples of the planned risk. */
function closed(end: {
  trade: Trade;
  costs: TradingCosts;
  position: Position;
  at: number;
}): PlainOutcome {
  const { trade, costs, position, at } = end;
  const { fill, exit, reason } = position;
  const outcome = OUTCOMES[String(reason)] ?? "EXPIRED";
  const resolved_at = new Date(at).toISOString();
  if (fill === null || exit === null) {
    return { outcome, reason: String(reason), fill, exit, r_multiple: null, resolved_at };
  }
  const gain = trade.side === "BUY" ? exit - fill : fill - exit;
  const { spread_percent, commission_percent } = costs;
  const paid = (fill + exit) * ((spread_percent / 2 + commission_percent) / 100);
  const r = (gain - paid) / Math.abs(trade.entry - trade.stopLoss);
  return { outcome, reason: String(reason), fill, exit, r_multiple: r, resolved_at };
}
