import { type Candle, TIMEFRAME_MS } from "@shared/contract/candle.ts";
import type { CandleSource } from "./candle-source.ts";
import type { DemoInstrument } from "./demo-instruments.ts";
import { roundPrice } from "./round-price.ts";
import { type SeededRandom, seededRandom } from "./seeded-random.ts";

const DAY_MS = TIMEFRAME_MS["1d"];
/** Days after which the simulated price is back at its level, so that it can run for ever. */
const BLOCK_DAYS = 256;
/**
 * GARCH(1,1) of a typical daily series, per unit of long-run variance: quiet and wild days come in
 * clusters.
 */
const GARCH = { shock: 0.08, memory: 0.9 } as const;
/** Largest move of a day, in standard deviations of that day. */
const MAX_DEVIATIONS = 6;
/** How far a day's extremes lie beyond its open and close, in standard deviations. */
const WICK_DEVIATIONS = 0.4;

interface Day {
  /** Logarithm of price over level after the day, in standard deviations of a usual day. */
  position: number;
  /** The day's standard deviation, in those of a usual day. */
  volatility: number;
}

/** Made-up daily candles of a market that never closes, the same for the same symbol and day. */
export function simulatedDays(symbol: string, instrument: DemoInstrument): CandleSource {
  return {
    origin: "simulated",
    range: (from, count) => {
      const first = from / DAY_MS;
      const last = first + count - 1;
      const firstBlock = Math.floor(first / BLOCK_DAYS);
      const blocks = Math.floor(last / BLOCK_DAYS) - firstBlock + 1;
      const skipped = first - firstBlock * BLOCK_DAYS;
      return Array.from({ length: blocks }, (_, index) =>
        simulatedBlock(symbol, { instrument, block: firstBlock + index }),
      )
        .flat()
        .slice(skipped, skipped + count);
    },
  };
}

function simulatedBlock(
  symbol: string,
  { instrument, block }: { instrument: DemoInstrument; block: number },
): Candle[] {
  const random = seededRandom(`${symbol} days ${block}`);
  const days = pinnedWalk(random);
  const deviation = instrument.dailyVolatilityPercent / 100;
  const priceAt = (position: number) =>
    roundPrice(instrument.level * Math.exp(deviation * position), instrument.decimals);
  return days.map(({ position, volatility }, index) => {
    const before = days[index - 1]?.position ?? 0;
    const wick = () => volatility * WICK_DEVIATIONS * Math.abs(random.fatTailed());
    return {
      time: (block * BLOCK_DAYS + index) * DAY_MS,
      open: priceAt(before),
      high: priceAt(Math.max(before, position) + wick()),
      low: priceAt(Math.min(before, position) - wick()),
      close: priceAt(position),
      volume: instrument.dailyVolume * volatility * (0.5 + random.uniform()),
    };
  });
}

/**
 * Returns with fat tails and clustered volatility, with their sum's drift taken out so that the
 * walk ends where it began.
 */
function pinnedWalk(random: SeededRandom): Day[] {
  let variance = 1;
  let position = 0;
  const walk = Array.from({ length: BLOCK_DAYS }, () => {
    const volatility = Math.sqrt(variance);
    const deviations = Math.max(-MAX_DEVIATIONS, Math.min(MAX_DEVIATIONS, random.fatTailed()));
    const move = volatility * deviations;
    position += move;
    variance = 1 - GARCH.shock - GARCH.memory + GARCH.shock * move ** 2 + GARCH.memory * variance;
    return { position, volatility };
  });
  return walk.map((day, index) => ({
    ...day,
    position: day.position - (position * (index + 1)) / BLOCK_DAYS,
  }));
}
