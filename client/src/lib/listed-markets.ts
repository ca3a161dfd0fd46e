import {
  CLASS_FACTS,
  INSTRUMENT_CLASSES,
  INSTRUMENTS,
  type InstrumentClass,
  LISTED_CLASSES,
} from "@shared/contract/instruments.ts";

// What the first load knows of the product's own symbols. Builds replace this module with its values: the instruments
// themselves would make the first load too large.

const ofClass = (name: InstrumentClass) => INSTRUMENTS.filter((one) => one.class === name);
const tabOf = (name: InstrumentClass): string => CLASS_FACTS[name].tab ?? CLASS_FACTS[name].title;

const groupOf = (name: InstrumentClass) => ({
  title: CLASS_FACTS[name].title,
  symbols: ofClass(name).map(({ symbol }) => symbol),
});

const others = INSTRUMENT_CLASSES.filter((name) => name !== "crypto");
const half = Math.floor(others.length / 2);

/** Columns of the overview, each with its classes. */
export const OVERVIEW_COLUMNS: readonly { title: string; symbols: readonly string[] }[][] = [
  ["crypto" as const],
  others.slice(0, half),
  others.slice(half),
].map((classes) => classes.map(groupOf));

/** Tabs of TradingView's overview, with its own names (`s`) and ours (`d`). */
export const OVERVIEW_TABS: readonly { title: string; symbols: { s: string; d: string }[] }[] = [
  ...new Set(LISTED_CLASSES.map(tabOf)),
].map((title) => ({
  title,
  symbols: LISTED_CLASSES.filter((name) => tabOf(name) === title)
    .flatMap(ofClass)
    .map(({ symbol, tradingView }) => ({ s: tradingView, d: symbol })),
}));
