import { createHash } from "node:crypto";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@shared/contract/constants.ts";
import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

/** A candle as served; the newest one has not closed yet. */
export interface ServedCandle extends Candle {
  isOpen: boolean;
}

type Price = "open" | "high" | "low" | "close" | "volume";

/** A row as a service sends it, which may be unusable. */
export type WeatherRow = Pick<ServedCandle, "time" | "isOpen"> & Record<Price, number | null>;

/** How badly a market and its providers behave. Everything is off by default; shares are from 0 to 1. */
interface WeatherOptions {
  seed: number;
  /** Of five minutes, without trades at every provider. */
  quietShare?: number;
  /** Of days in which the market is halted for up to `MAX_HALT_MS`. */
  haltShare?: number;
  /** Of answers in which the newest rows, of up to `maxLagMs`, are absent. */
  lagShare?: number;
  maxLagMs?: number;
  /** Of rows that are absent from one answer, or unusable in it. */
  missingShare?: number;
  badShare?: number;
  /** Of rows that are sent twice, or together with an unusable one of the same time. */
  repeatedShare?: number;
  strayShare?: number;
  /** Of answers with the rows in the wrong order. */
  reversedShare?: number;
  /** Of hours in which a provider bans its clients for up to `MAX_BAN_MS`. */
  banShare?: number;
  /** Providers that no longer list their markets from a time on, Unix ms. */
  delistedAt?: Readonly<Record<string, number>>;
  /** Percent by which prices of a provider are higher. */
  premiumPercent?: Readonly<Record<string, number>>;
}

interface Series {
  provider: string;
  symbol: string;
  timeframe: Timeframe;
  /** Unix ms. */
  now: number;
}

export interface Weather {
  /** The rows of an answer, from the candles of a perfect market. */
  rows(series: Series, candles: readonly ServedCandle[]): WeatherRow[];
  /** Whether anything was traded from `from` to `until`. */
  isTraded(symbol: string, span: { from: number; until: number }): boolean;
  /** A candle at the prices of a provider. */
  priced<Priced extends Candle>(provider: string, candle: Priced): Priced;
  /** Until when a provider refuses all requests. */
  bannedUntil(provider: string, now: number): number | null;
  isListed(provider: string, now: number): boolean;
}

export const MAX_HALT_MS = 3 * HOUR_MS;
const MAX_BAN_MS = 20 * MINUTE_MS;
const SLOT_MS = 5 * MINUTE_MS;
/** Lag and absent rows of a provider change after so long. */
const LAG_WINDOW_MS = 10 * MINUTE_MS;

/** Everything is as it should be. */
export const calm: Weather = {
  rows: (_, candles) => [...candles],
  isTraded: () => true,
  priced: (_, candle) => candle,
  bannedUntil: () => null,
  isListed: () => true,
};

/** What a sound product does not notice at all: rows in disorder, doubled, and together with unusable ones. */
export const mild = (seed: number): Weather =>
  weather({ seed, repeatedShare: 0.02, strayShare: 0.02, reversedShare: 0.5 });

/** A hostile world, the same for the same seed and requests. */
export const weather = (options: WeatherOptions): Weather => new SeededWeather(options);

class SeededWeather implements Weather {
  readonly #options: WeatherOptions;
  readonly #answers = new Map<string, number>();
  readonly #withheld = new Set<string>();
  readonly #days = new Map<string, Map<number, QuietDay>>();
  readonly #prices = new Map<number, Map<number, number>>();

  constructor(options: WeatherOptions) {
    this.#options = options;
  }

  rows(series: Series, candles: readonly ServedCandle[]): WeatherRow[] {
    const { provider, symbol, timeframe } = series;
    const key = `${provider} ${symbol} ${timeframe}`;
    const count = this.#answers.get(key) ?? 0;
    this.#answers.set(key, count + 1);
    const random = this.#random("rows", key, count);
    const lengthMs = TIMEFRAME_MS[timeframe];
    const published = series.now - this.#lagMs(key, series.now);
    const rows = candles
      .filter(({ time }) => this.isTraded(symbol, { from: time, until: time + lengthMs }))
      .filter(({ time, isOpen }) => isOpen || time + lengthMs <= published)
      .filter(({ isOpen }) => !isOpen || published === series.now)
      .map((candle) => this.priced(provider, candle))
      .flatMap((row) => this.#sent(row, { key, random }));
    return random() < (this.#options.reversedShare ?? 0) ? rows.reverse() : rows;
  }

  isTraded(symbol: string, { from, until }: { from: number; until: number }): boolean {
    const { quietShare = 0, haltShare = 0 } = this.#options;
    if (quietShare === 0 && haltShare === 0) return true;
    for (let minute = from; minute < until; minute += MINUTE_MS) {
      if (!this.#dayOf(symbol, minute).isQuiet(minute)) return true;
    }
    return false;
  }

  bannedUntil(provider: string, now: number): number | null {
    const hour = Math.floor(now / HOUR_MS) * HOUR_MS;
    const random = this.#random("ban", provider, hour);
    if (random() >= (this.#options.banShare ?? 0)) return null;
    const from = hour + random() * (HOUR_MS - MAX_BAN_MS);
    const until = Math.ceil(from + random() * MAX_BAN_MS);
    return from <= now && now < until ? until : null;
  }

  isListed(provider: string, now: number): boolean {
    return now < (this.#options.delistedAt?.[provider] ?? Number.POSITIVE_INFINITY);
  }

  #lagMs(key: string, now: number): number {
    const { lagShare = 0, maxLagMs = 0 } = this.#options;
    const random = this.#random("lag", key, Math.floor(now / LAG_WINDOW_MS));
    return random() < lagShare ? random() * maxLagMs : 0;
  }

  priced<Priced extends Candle>(provider: string, candle: Priced): Priced {
    const premium = this.#options.premiumPercent?.[provider];
    if (premium === undefined) return candle;
    const price = (value: number) => this.#withPremium(value, premium);
    const { open, high, low, close } = candle;
    return {
      ...candle,
      open: price(open),
      high: price(high),
      low: price(low),
      close: price(close),
    };
  }

  /** Computed once for each price: to format a number is slow. */
  #withPremium(value: number, percent: number): number {
    const known = this.#prices.get(percent) ?? new Map<number, number>();
    this.#prices.set(percent, known);
    const price = known.get(value) ?? Number((value * (1 + percent / 100)).toPrecision(9));
    known.set(value, price);
    return price;
  }

  /** What is sent in place of a row. No row is absent or unusable twice. */
  #sent(row: ServedCandle, { key, random }: { key: string; random: () => number }): WeatherRow[] {
    const { missingShare = 0, badShare = 0, repeatedShare = 0, strayShare = 0 } = this.#options;
    const [chance, kind] = [random(), random()];
    const id = `${key} ${row.time}`;
    if (chance < missingShare + badShare && !this.#withheld.has(id)) {
      this.#withheld.add(id);
      return chance < missingShare ? [] : [spoiled(row, kind)];
    }
    const other = random();
    if (other < repeatedShare) return [row, row];
    return other < repeatedShare + strayShare ? [row, spoiled(row, kind)] : [row];
  }

  #dayOf(symbol: string, minute: number): QuietDay {
    const start = Math.floor(minute / DAY_MS) * DAY_MS;
    const days = this.#days.get(symbol) ?? new Map<number, QuietDay>();
    this.#days.set(symbol, days);
    const key = `${symbol} ${start}`;
    const day = days.get(start) ?? new QuietDay(start, this.#options, this.#random("quiet", key));
    days.set(start, day);
    return day;
  }

  #random(...key: (string | number)[]): () => number {
    const digest = createHash("sha256")
      .update([this.#options.seed, ...key].join(" "))
      .digest();
    const generator = xoroshiro128plus(digest.readInt32LE());
    return () => uniformFloat64(generator);
  }
}

/** When nothing is traded in a day of a market. */
class QuietDay {
  readonly #slots: boolean[];
  readonly #start: number;

  constructor(
    start: number,
    { quietShare = 0, haltShare = 0 }: WeatherOptions,
    random: () => number,
  ) {
    this.#start = start;
    this.#slots = Array.from({ length: DAY_MS / SLOT_MS }, () => random() < quietShare);
    if (random() >= haltShare) return;
    const lengthMs = random() * MAX_HALT_MS;
    const from = Math.floor((random() * (DAY_MS - lengthMs)) / SLOT_MS);
    this.#slots.fill(true, from, from + Math.ceil(lengthMs / SLOT_MS));
  }

  isQuiet(minute: number): boolean {
    return this.#slots[Math.floor((minute - this.#start) / SLOT_MS)] ?? false;
  }
}

/** Below any tick, so that a high is below the close by less than anybody would notice. */
const SPECK = 1e-6;
const OFF_GRID_MS = 14_838;

/** A row that no one can use: without prices, without some, not possible, or at no time of its timeframe. */
function spoiled(row: ServedCandle, chance: number): WeatherRow {
  const kinds: WeatherRow[] = [
    { ...row, open: null, high: null, low: null, close: null, volume: null },
    { ...row, open: 0, low: 0 },
    { ...row, high: Math.max(row.open, row.close) * (1 - SPECK) },
    { ...row, close: null },
    { ...row, time: row.time + OFF_GRID_MS },
  ];
  return kinds[Math.floor(chance * kinds.length)] ?? row;
}
