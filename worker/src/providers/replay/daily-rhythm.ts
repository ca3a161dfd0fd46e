import { TIMEFRAME_MS } from "@shared/contract/candle.ts";
import { type InstrumentClass, instrumentClass } from "@shared/contract/instruments.ts";

const DAY_MS = TIMEFRAME_MS["1d"];
const HOURS_OF_A_DAY = 24;

/** From this hour on (UTC) so much, until the next one begins. */
type Rhythm = readonly (readonly [fromHour: number, activity: number])[];

/**
 * How much a market moves in the hours of its day, against its usual hour: rounded to what is common knowledge of
 * sessions. London and New York move currencies and metals, their overlap most; the exchange's own hours move indices
 * and oil; coins move all day, most while America is awake (cf. Andersen and Bollerslev, "Intraday periodicity and
 * volatility persistence in financial markets", 1997).
 */
const RHYTHMS: Readonly<Record<InstrumentClass, Rhythm>> = {
  crypto: [
    [0, 0.9],
    [7, 1],
    [13, 1.3],
    [17, 1.1],
    [21, 0.8],
  ],
  forex: [
    [0, 0.7],
    [7, 1.2],
    [12, 1.6],
    [16, 1],
    [20, 0.5],
  ],
  metal: [
    [0, 0.7],
    [7, 1],
    [12, 1.8],
    [17, 0.9],
    [20, 0.5],
  ],
  index: [
    [0, 0.5],
    [7, 0.8],
    [13, 2],
    [15, 1.4],
    [20, 0.5],
  ],
  oil: [
    [0, 0.5],
    [7, 1],
    [13, 1.8],
    [19, 0.8],
  ],
};

/** How much the market moves at `time` (Unix milliseconds), against its usual hour. */
export function activityAt(symbol: string, time: number): number {
  const hour = Math.floor(((time % DAY_MS) / DAY_MS) * HOURS_OF_A_DAY);
  const [, activity] = RHYTHMS[instrumentClass(symbol)].findLast(([from]) => from <= hour) ?? [
    0, 1,
  ];
  return activity;
}
